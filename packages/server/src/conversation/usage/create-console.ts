import type { Routes } from '../../http/app.ts';
import type { Owner } from '../../lib/owner.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import { consoleRoutes } from './console-routes.ts';
import { ModelPrices } from './costs.ts';
import { UsageStore } from './usage-store.ts';
import { type EmailsOf, UsageSummaries, type WorkflowUsageOf } from './usage-summaries.ts';

interface ConsoleParts extends Pick<ConversationParts, 'database' | 'models' | 'clock'> {
  workflowUsage: WorkflowUsageOf | null;
  countAgents: (owner: Owner) => Promise<number>;
  emailsOf: EmailsOf;
}

/** The summaries of runs, tokens and costs. */
export function createConsole({ database, models, ...parts }: ConsoleParts): Routes {
  const summaries = new UsageSummaries({
    ...parts,
    store: new UsageStore(database),
    prices: new ModelPrices(models),
    isAvailable: database.backend !== 'memory',
  });
  return consoleRoutes({ summaries });
}
