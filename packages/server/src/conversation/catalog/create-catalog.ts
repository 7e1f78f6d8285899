import { mounts } from '@switchyard/contract/conversation/mounts';
import { forgetItemsOfUser } from '../../agents/store/store-item-store.ts';
import type { Routes } from '../../http/app.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import type { CustomAgents } from '../custom-agents/custom-agents.ts';
import type { Threads } from '../threads/threads.ts';
import { assistantRoutes } from './assistant-routes.ts';
import { type AssistantStore, forgetAssistantsOfUser } from './assistant-store.ts';
import { Assistants } from './assistants.ts';
import { featureRoutes, graphRoutes, infoRoutes, modelRoutes } from './catalog-routes.ts';
import { shownModels } from './models.ts';
import { storeRoutes } from './store-routes.ts';

/** Creates what there is besides threads and runs: assistants, the store, models, and the facts about the server. */
export function createCatalog({
  runtime,
  removals,
  threads,
  assistantStore,
  customAgents,
  models,
  agentsApi,
  trackTokens,
  version,
  clock,
}: Pick<ConversationParts, 'runtime' | 'removals' | 'models' | 'version' | 'clock'> & {
  threads: Threads;
  assistantStore: AssistantStore;
  customAgents: CustomAgents;
  /** True when users manage agents and profiles over HTTP. */
  agentsApi: boolean;
  trackTokens: boolean;
}): { assistants: Assistants; routes: Routes[] } {
  removals.register({ forgetUser: forgetItemsOfUser });
  removals.register({ forgetUser: forgetAssistantsOfUser });
  const assistants = new Assistants({
    ...runtime,
    store: assistantStore,
    customAgents,
    deleteThreads: (owner, assistantId) => threads.deleteOf(owner, assistantId),
    clock,
  });
  return {
    assistants,
    routes: [
      ...mounts.flatMap((mount) => [
        assistantRoutes(mount, { assistants }),
        storeRoutes(mount, { items: runtime.storeItems }),
        infoRoutes(mount, { version }),
      ]),
      graphRoutes(runtime),
      modelRoutes(shownModels(models), { trackTokens }),
      featureRoutes({ agentsApi }),
    ],
  };
}
