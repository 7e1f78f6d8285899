import { getModel, listModels, type Model } from '@switchyard/contract/conversation/model';
import type { Routes } from '../../http/app.ts';
import { findModel } from './models.ts';

interface ModelRoutesOptions {
  models: readonly Model[];
  trackTokens: boolean;
}

export function modelRoutes({ models, trackTokens }: ModelRoutesOptions): Routes {
  return (app) => {
    app.route({
      ...listModels,
      handler: async () => ({ models: [...models], token_usage: { enabled: trackTokens } }),
    });

    app.route({ ...getModel, handler: async (request) => findModel(models, request.params.name) });
  };
}
