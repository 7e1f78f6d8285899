import {
  getSuggestionsConfig,
  maxSuggestions,
  suggestFollowUps,
} from '@switchyard/contract/conversation/suggestions';
import { ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import type { Suggestions } from './suggestions.ts';

interface SuggestionRoutesOptions {
  access: Pick<ThreadAccess, 'require'>;
  suggestions: Suggestions;
}

export function suggestionRoutes({ access, suggestions }: SuggestionRoutesOptions): Routes {
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
      ...getSuggestionsConfig,
      handler: async () => ({ enabled: true, max_suggestions: maxSuggestions }),
    });
  };
}
