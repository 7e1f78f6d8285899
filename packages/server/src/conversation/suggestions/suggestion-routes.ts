import { type SuggestionsBody, suggestFollowUps } from '@switchyard/contract/conversation/suggestions';
import type { Routes } from '../../http/app.ts';
import { ownerOf } from '../../http/guard.ts';
import { demoModelName } from '../agent/demo/demo-model-name.ts';
import { demoFollowUps } from '../agent/demo/follow-ups.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';

interface SuggestionRoutesOptions {
  access: Pick<ThreadAccess, 'require'>;
  hasPool: boolean;
}

/** The demo model answers by its script; another model that somebody names suggests nothing. */
export function suggestionRoutes({ access, hasPool }: SuggestionRoutesOptions): Routes {
  return (app) => {
    app.route({
      ...suggestFollowUps,
      handler: async (request) => {
        await access.require(ownerOf(request), request.params.thread_id, { mustExist: false });
        return { suggestions: suggestionsFor(request.body, hasPool), simulated: true };
      },
    });
  };
}

function suggestionsFor({ messages, n = 3, model_name }: SuggestionsBody, hasPool: boolean): string[] {
  if ((model_name ?? demoModelName) !== demoModelName) return [];
  const said = messages.filter(({ content }) => content.trim() !== '');
  if (said.length === 0) return [];
  const asked = said.filter(({ role }) => role === 'user' || role === 'human').map(({ content }) => content);
  return demoFollowUps(asked, { most: n, hasPool });
}
