import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { isoTime, nullable } from '../shapes.ts';

/** A shorter age would take threads that people are about to come back to. */
const minAgeSeconds = 3_600;
const maxAgeSeconds = 315_360_000;

const chosen = {
  older_than_seconds: Type.Optional(
    Type.Integer({
      minimum: minAgeSeconds,
      maximum: maxAgeSeconds,
      description: 'Age since the last change; `conversation.thread_retention` when it is absent.',
    }),
  ),
  user: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 254,
      description:
        'Id or e-mail address of the account whose threads are meant; all accounts when it is absent.',
    }),
  ),
};

export const oldThreads = Type.Object({
  before: isoTime,
  threads: Type.Integer({ description: 'The number of threads that would go.' }),
  users: Type.Array(
    Type.Object({
      user_id: Type.String(),
      email: nullable(Type.String()),
      threads: Type.Integer(),
      oldest: isoTime,
    }),
    { description: 'Their owners; 1,000 at most.' },
  ),
  users_left_out: Type.Integer(),
});
export type OldThreads = Static<typeof oldThreads>;

const tags = ['Threads'];
const url = '/api/thread-retention';

export const previewThreadRetention = {
  method: 'GET',
  url,
  config: { access: 'admin' },
  schema: {
    summary: 'The threads that are old enough to be deleted',
    description:
      'Threads in which nothing has changed for that long. Threads that are pinned, in which a run works or waits for an answer, or of a schedule that goes on are not among them.',
    tags,
    querystring: Type.Object(chosen),
    response: { 200: oldThreads },
  },
} as const satisfies Endpoint;

export const applyThreadRetention = {
  method: 'POST',
  url,
  config: { access: 'admin' },
  schema: {
    summary: 'Delete threads that are old enough',
    description:
      'Deletes up to 200 of the threads that `GET` counts, with their runs, states and files, as their owners would. Call it again while `more` is true.',
    tags,
    body: Type.Object(chosen),
    response: {
      200: Type.Object({
        before: isoTime,
        deleted: Type.Integer(),
        kept: Type.Integer({
          description: 'Threads that could not be deleted now. The log has the reasons.',
        }),
        more: Type.Boolean(),
      }),
    },
  },
} as const satisfies Endpoint;
