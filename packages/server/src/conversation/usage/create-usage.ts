import type { Routes } from '../../http/app.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import { consoleRoutes } from './console-routes.ts';
import { ModelPrices } from './costs.ts';
import { UsageStore } from './usage-store.ts';
import { UsageSummaries, type UsageSummariesOptions } from './usage-summaries.ts';

/** The summaries of runs, tokens and costs. */
export function createUsage({
  database,
  models,
  ...parts
}: Pick<ConversationParts, 'database' | 'models' | 'clock'> &
  Pick<UsageSummariesOptions, 'workflowUsage' | 'countAgents' | 'emailsOf'>): Routes {
  const summaries = new UsageSummaries({
    ...parts,
    store: new UsageStore(database),
    prices: new ModelPrices(models),
    isAvailable: database.backend !== 'memory',
  });
  return consoleRoutes({ summaries });
}
