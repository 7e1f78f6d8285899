import { mounts } from '@switchyard/contract/conversation/mounts';
import type { AgentRuntime } from '../../agents/create-agents.ts';
import type { ModelConfig } from '../../config/models.ts';
import type { Routes } from '../../http/app.ts';
import { assistantRoutes } from './assistant-routes.ts';
import type { Assistants } from './assistants.ts';
import { graphRoutes } from './graph-routes.ts';
import { infoRoutes } from './info-routes.ts';
import { modelRoutes } from './model-routes.ts';
import { listModels } from './models.ts';
import { storeRoutes } from './store-routes.ts';

interface CatalogRoutesOptions {
  assistants: Assistants;
  runtime: Pick<AgentRuntime, 'agents' | 'otherFaults' | 'storeItems'>;
  version: string;
  trackTokens: boolean;
  models: readonly ModelConfig[];
}

/** The routes besides threads and runs: assistants, the store, models, and what the server is. */
export function catalogRoutes({
  assistants,
  runtime,
  version,
  trackTokens,
  models,
}: CatalogRoutesOptions): Routes[] {
  const onBothMounts = mounts.flatMap((mount) => [
    assistantRoutes(mount, { assistants }),
    storeRoutes(mount, { items: runtime.storeItems }),
    infoRoutes(mount, { version }),
  ]);
  return [...onBothMounts, graphRoutes(runtime), modelRoutes({ models: listModels(models), trackTokens })];
}
