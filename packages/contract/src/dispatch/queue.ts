import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { closed, isoTime, nullable, oneOf, wholeNumber } from '../shapes.ts';

const tags = ['Queue'];

/** `all`: no task starts. `pool`: none on servers with this tag. `user`: none of this user. */
export const pauseScopes = ['all', 'pool', 'user'] as const;
export type PauseScope = (typeof pauseScopes)[number];

export const pauseRoles = ['administrator', 'owner'] as const;
export type PauseRole = (typeof pauseRoles)[number];

/** The facts about a pause that everyone who waits because of it may know. */
export const shownPause = Type.Object({
  scope: oneOf(pauseScopes),
  target: nullable(
    Type.String({ description: 'The tag of the pool, or the id of the user. Null for `all`.' }),
  ),
  by: oneOf(pauseRoles, {
    description: '`owner`: the user of the tasks. Only an administrator lifts the pause of an administrator.',
  }),
  since: isoTime,
  reason: nullable(Type.String()),
});

export const pause = Type.Object({
  ...shownPause.properties,
  userId: nullable(Type.String({ description: 'The id of the account that paused. For administrators.' })),
});
export type Pause = Static<typeof pause>;

/** The facts about a pause of the whole queue that everyone may know. */
export const pausedQueue = Type.Object({ since: isoTime, reason: nullable(Type.String()) });

export const queueState = Type.Object({
  paused: Type.Boolean({ description: 'No task of any user starts.' }),
  pauses: Type.Array(pause),
  nextCursor: nullable(Type.String({ description: 'The `cursor` of the next page. Null on the last one.' })),
});
export type QueueState = Static<typeof queueState>;

const target = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 320,
    description:
      'For `pool` the tag of a server. For `user` the id or the e-mail address of an account; without it the caller.',
  }),
);

export const queuePause = Type.Object(
  {
    scope: oneOf(pauseScopes),
    target,
    reason: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'Shown to everyone who waits because of it.',
      }),
    ),
  },
  closed,
);
export type QueuePause = Static<typeof queuePause>;

export const queueResume = Type.Object({ scope: oneOf(pauseScopes), target }, closed);
export type QueueResume = Static<typeof queueResume>;

export const getQueue = {
  method: 'GET',
  url: '/api/queue',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'Whether the queue is paused, by whom and why',
    description:
      'Users see pauses of the whole queue, of pools and of their own tasks; administrators see all of them.',
    tags,
    querystring: Type.Object(
      {
        limit: Type.Optional(wholeNumber({ minimum: 1, maximum: 200, default: 200 })),
        cursor: Type.Optional(
          Type.String({ minLength: 1, maxLength: 1_000, description: '`nextCursor` of the page before.' }),
        ),
      },
      closed,
    ),
    response: { 200: envelope(queueState) },
  },
} as const satisfies Endpoint;

export const pauseQueue = {
  method: 'POST',
  url: '/api/queue/pause',
  config: { access: 'dispatch:write', bodyLimit: 16_384 },
  schema: {
    summary: 'Pause the queue, a pool or the tasks of a user',
    description:
      'Tasks that a worker has go on; tasks that wait stay where they are, and new ones are accepted. A pause lasts until it is lifted, over a restart as well. A user may pause their own tasks; everything else is for administrators. A second pause of the same keeps the time of the first and takes the new reason.',
    tags,
    body: queuePause,
    response: { 200: envelope(pause) },
  },
} as const satisfies Endpoint;

export const resumeQueue = {
  method: 'POST',
  url: '/api/queue/resume',
  config: { access: 'dispatch:write', bodyLimit: 16_384 },
  schema: {
    summary: 'Lift a pause',
    description:
      'Lifting a pause that does not exist changes nothing. An administrator can also lift the pause that a user has set.',
    tags,
    body: queueResume,
    response: {
      200: envelope(
        Type.Object({ resumed: Type.Boolean({ description: 'Whether there was such a pause.' }) }),
      ),
    },
  },
} as const satisfies Endpoint;
