import { mounts } from '@switchyard/contract/conversation/mounts';
import type { StoreItems } from '../../agents/store/store-items.ts';
import type { ModelConfig } from '../../config/models.ts';
import type { Routes } from '../../http/app.ts';
import { assistantRoutes } from './assistant-routes.ts';
import type { Assistants } from './assistants.ts';
import { infoRoutes } from './info-routes.ts';
import { modelRoutes } from './model-routes.ts';
import { listModels } from './models.ts';
import { storeRoutes } from './store-routes.ts';

interface CatalogRoutesOptions {
  assistants: Assistants;
  storeItems: StoreItems;
  version: string;
  trackTokens: boolean;
  models: readonly ModelConfig[];
}

/** The routes besides threads and runs: assistants, the store, models, and what the server is. */
export function catalogRoutes({
  assistants,
  storeItems,
  version,
  trackTokens,
  models,
}: CatalogRoutesOptions): Routes[] {
  const onBothMounts = mounts.flatMap((mount) => [
    assistantRoutes(mount, { assistants }),
    storeRoutes(mount, { items: storeItems }),
    infoRoutes(mount, { version }),
  ]);
  return [...onBothMounts, modelRoutes({ models: listModels(models), trackTokens })];
}
