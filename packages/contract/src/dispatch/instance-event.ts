import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { sentenceList } from '../sentences/sentence.ts';
import { closed, isoTime, nullable, oneOf, wholeNumber } from '../shapes.ts';

/** The things that can happen to an instance, or to an attempt of a task on it. */
export const instanceEventKinds = [
  'added',
  'up',
  'down',
  'restarted',
  'suspect',
  'trusted',
  'deaf',
  'hearing',
  'capabilities_changed',
  'enabled',
  'draining',
  'drained',
  'removed',
  'refused',
  'failed',
  'lost',
  'queued_again',
] as const;
export type InstanceEventKind = (typeof instanceEventKinds)[number];

export const instanceEvent = Type.Object({
  id: Type.String(),
  instanceId: Type.String(),
  kind: oneOf(instanceEventKinds),
  at: isoTime,
  message: Type.String({
    description: 'One sentence. It leaves out the cause when the task is another user’s.',
  }),
  sentences: sentenceList,
  taskId: nullable(Type.String({ description: 'Null also when the task is another user’s.' })),
  attempt: nullable(Type.Integer()),
});
export type InstanceEvent = Static<typeof instanceEvent>;

export const instanceEventList = Type.Object({
  items: Type.Array(instanceEvent),
  nextCursor: nullable(
    Type.String({ description: 'The `cursor` of the next, older page. Null on the last one.' }),
  ),
});
export type InstanceEventList = Static<typeof instanceEventList>;

export const listInstanceEvents = {
  method: 'GET',
  url: '/api/instances/:instanceId/events',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'What happened to an instance, the newest first',
    description:
      'Kept for 30 days, and at most about the newest 1,000 of each instance. An event stands here a moment after it happened. Users see events of other users’ tasks without the task and without its error.',
    tags: ['Instances'],
    params: Type.Object({ instanceId: Type.String({ minLength: 1, maxLength: 300 }) }),
    querystring: Type.Object(
      {
        limit: Type.Optional(wholeNumber({ minimum: 1, maximum: 200, default: 50 })),
        cursor: Type.Optional(
          Type.String({ pattern: '^[0-9a-f-]{36}$', description: '`nextCursor` of the page before.' }),
        ),
      },
      closed,
    ),
    response: { 200: envelope(instanceEventList) },
  },
} as const satisfies Endpoint;
