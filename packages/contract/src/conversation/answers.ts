import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { isoTime, nullable, oneOf } from '../shapes.ts';
import { runId, threadParams } from './ids.ts';
import { runStatuses } from './run.ts';

export const answerVersion = Type.Object({
  run_id: runId,
  status: oneOf(runStatuses),
  created_at: isoTime,
  is_newest: Type.Boolean({ description: 'It is part of the conversation that a new message goes on from.' }),
  last_run_id: Type.String({ description: 'The last run of the newest conversation with this version.' }),
  checkpoint_id: nullable(
    Type.String({
      description:
        'The state after that run. A run with this `checkpoint_id` and `continue_from_run_id` (the `last_run_id`) in its metadata goes on from there. Null while that run goes on, and where no state is stored.',
    }),
  ),
});
export type AnswerVersion = Static<typeof answerVersion>;

export const threadAnswers = Type.Object({
  data: Type.Array(
    Type.Object({ versions: Type.Array(answerVersion, { description: 'The oldest first.' }) }),
  ),
  has_more: Type.Boolean({
    description: 'The thread has more runs than the newest 2,000, and only these were compared.',
  }),
});
export type ThreadAnswers = Static<typeof threadAnswers>;

export const listAnswers = {
  method: 'GET',
  url: '/api/threads/:thread_id/answers',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'The answers of a thread that were given more than once',
    description:
      'One entry for each place where the conversation went on in several ways. `messages/page?run_id=` reads the conversation with a version.',
    tags: ['Turns'],
    params: threadParams,
    response: { 200: threadAnswers },
  },
} as const satisfies Endpoint;
