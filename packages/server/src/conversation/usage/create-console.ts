import type { ModelConfig } from '../../config/models.ts';
import type { Routes } from '../../http/app.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Database } from '../../platform/database/database.ts';
import type { ConversationTables } from '../tables.ts';
import { consoleRoutes } from './console-routes.ts';
import { ModelPrices } from './costs.ts';
import { UsageStore } from './usage-store.ts';
import { type EmailsOf, UsageSummaries, type WorkflowUsageOf } from './usage-summaries.ts';

interface ConsoleParts {
  database: Database<ConversationTables>;
  models: readonly ModelConfig[];
  workflowUsage: WorkflowUsageOf | null;
  countAgents: (owner: Owner) => Promise<number>;
  emailsOf: EmailsOf;
  clock: Clock;
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
