import { polishInput } from '@switchyard/contract/conversation/input-polish';
import {
  getSuggestionsConfig,
  maxSuggestions,
  suggestFollowUps,
} from '@switchyard/contract/conversation/suggestions';
import { ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import type { InputPolish } from './input-polish.ts';
import type { Suggestions } from './suggestions.ts';

export function suggestionRoutes({
  access,
  suggestions,
  inputPolish,
}: {
  access: Pick<ThreadAccess, 'require'>;
  suggestions: Suggestions;
  inputPolish: InputPolish;
}): Routes {
  return (app) => {
    app.route({
      ...suggestFollowUps,
      handler: async (request) => {
        await access.require(ownerOf(request), request.params.thread_id, { mustExist: false });
        return {
          suggestions: await suggestions.of(request.body),
          simulated: suggestions.areSimulated,
        };
      },
    });

    app.route({
      ...polishInput,
      handler: async (request) => {
        const { thread_id: threadId } = request.body;
        if (threadId) await access.require(ownerOf(request), threadId, { mustExist: false });
        return inputPolish.of(request.body);
      },
    });

    app.route({
      ...getSuggestionsConfig,
      handler: async () => ({ enabled: true, max_suggestions: maxSuggestions }),
    });
  };
}
