import { createMiddleware } from 'langchain';
import type { ChatModels } from './chat-models.ts';
import { wishOf } from './model-wish.ts';

/** Each call goes to the model that its run has named. */
export function chosenModel(models: Pick<ChatModels, 'of'>) {
  return createMiddleware({
    name: 'ChosenModelMiddleware',
    wrapModelCall: async (request, handler) => {
      const { context, configurable } = request.runtime;
      return handler({ ...request, model: await models.of(wishOf(context, configurable)) });
    },
  });
}
