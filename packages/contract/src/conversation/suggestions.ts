import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { nullable } from '../shapes.ts';
import { threadParams } from './ids.ts';

export const maxSuggestions = 5;

export const suggestionsBody = Type.Object({
  messages: Type.Array(
    Type.Object({ role: Type.String({ maxLength: 64 }), content: Type.String({ maxLength: 100_000 }) }),
    { maxItems: 1_000 },
  ),
  n: Type.Optional(Type.Integer({ minimum: 1, maximum: maxSuggestions, default: 3 })),
  model_name: Type.Optional(nullable(Type.String({ maxLength: 256 }))),
});
export type SuggestionsBody = Static<typeof suggestionsBody>;

export const suggestFollowUps = {
  method: 'POST',
  url: '/api/threads/:thread_id/suggestions',
  config: { access: 'conversation:write', bodyLimit: 'large' },
  schema: {
    summary: 'Questions that the user might ask next',
    description: 'Always 200; an empty list when there is nothing to suggest.',
    tags: ['Suggestions'],
    params: threadParams,
    body: suggestionsBody,
    response: {
      200: Type.Object({
        suggestions: Type.Array(Type.String()),
        simulated: Type.Boolean({ description: 'They are from the script of the demo model.' }),
      }),
    },
  },
} as const satisfies Endpoint;

export const getSuggestionsConfig = {
  method: 'GET',
  url: '/api/suggestions/config',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'How many suggestions can be asked for',
    tags: ['Suggestions'],
    response: { 200: Type.Object({ enabled: Type.Boolean(), max_suggestions: Type.Integer() }) },
  },
} as const satisfies Endpoint;
