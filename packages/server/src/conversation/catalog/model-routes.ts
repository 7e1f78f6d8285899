import { getModel, listModels as listModelsEndpoint } from '@switchyard/contract/conversation/model';
import type { Routes } from '../../http/app.ts';
import { findModel, listModels } from './models.ts';

export function modelRoutes({ trackTokens }: { trackTokens: boolean }): Routes {
  return (app) => {
    app.route({
      ...listModelsEndpoint,
      handler: async () => ({ models: listModels(), token_usage: { enabled: trackTokens } }),
    });

    app.route({ ...getModel, handler: async (request) => findModel(request.params.name) });
  };
}
