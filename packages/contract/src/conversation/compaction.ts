import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { nullable, oneOf } from '../shapes.ts';
import { threadId, threadParams } from './ids.ts';

export const compactBody = Type.Object(
  {
    force: Type.Optional(
      Type.Boolean({
        description: 'Default true. False compacts a conversation that is long, and no other.',
      }),
    ),
    keep: Type.Optional(
      nullable(
        Type.Object(
          {
            type: oneOf(['messages', 'tokens', 'fraction']),
            value: Type.Number({ exclusiveMinimum: 0, maximum: 10_000_000 }),
          },
          {
            additionalProperties: false,
            description:
              'The newest part that stays as it is: messages, tokens, or a fraction (at most 1) of what the model can read.',
          },
        ),
      ),
    ),
    agent_name: Type.Optional(
      nullable(Type.String({ maxLength: 128, description: 'A custom agent, whose model summarises.' })),
    ),
    model_name: Type.Optional(nullable(Type.String({ maxLength: 256 }))),
  },
  { additionalProperties: false },
);
export type CompactBody = Static<typeof compactBody>;

export const compactedThread = Type.Object({
  thread_id: threadId,
  compacted: Type.Boolean(),
  reason: nullable(
    oneOf(['not_enough_messages'], { description: 'Why nothing was compacted; null when it was.' }),
  ),
  removed_message_count: Type.Integer({ description: 'The messages that the summary stands for.' }),
  preserved_message_count: Type.Integer(),
  summary_updated: Type.Boolean(),
  checkpoint_id: nullable(Type.String({ description: 'The newest state; null when there is none.' })),
  total_tokens: Type.Integer({ description: 'An estimate of the messages that the state has now.' }),
});
export type CompactedThread = Static<typeof compactedThread>;

export const compactThread = {
  method: 'POST',
  url: '/api/threads/:thread_id/compact',
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Put a summary in the place of older messages',
    description:
      'A model summarises what is older than the part to keep; the conversation stays whole on display. 409 while a run is in flight, while a question waits, and where summaries are disabled.',
    tags: ['Turns'],
    params: threadParams,
    body: compactBody,
    response: { 200: compactedThread },
  },
} as const satisfies Endpoint;
