import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { closed, isoTime, nullable, oneOf } from '../shapes.ts';
import { instanceStates } from './instance.ts';
import { overview } from './monitor.ts';
import { task } from './task.ts';

const part = Type.Number({ minimum: 0, maximum: 1 });

export const instanceLoad = Type.Object({
  instanceId: Type.String(),
  serverName: Type.String(),
  state: oneOf(instanceStates),
  utilisation: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'The part of the last hour in which it worked on tasks of this gateway.',
  }),
  busy: Type.Array(part, { description: 'The same for each of `minutes`.' }),
  lastUsedAt: nullable({ ...isoTime, description: 'When it last completed a task that is still kept.' }),
});
export type InstanceLoad = Static<typeof instanceLoad>;

export const poolMinute = Type.Object({
  at: isoTime,
  completed: Type.Integer({ description: 'Attempts that completed in this minute, of all users.' }),
  failed: Type.Integer({ description: 'Attempts that ended in another way.' }),
});

export const poolOverview = Type.Object({
  at: isoTime,
  counts: overview,
  minutes: Type.Array(poolMinute, { description: 'The last 60 minutes, the present one last.' }),
  instances: Type.Array(instanceLoad),
  running: Type.Array(task, {
    description: 'At most 20, the newest first, of those that the caller may see.',
  }),
  lastInLine: nullable({
    ...task,
    description:
      'The newest waiting task that the caller may see. Its `eta` tells when the line will be done.',
  }),
  recent: Type.Array(task, { description: 'The last 12 completed tasks that the caller may see.' }),
});
export type PoolOverview = Static<typeof poolOverview>;

export const getPoolOverview = {
  method: 'GET',
  url: '/api/overview',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'The pool at one moment: counts, load of the last hour, what runs, what was made',
    description:
      'Counts, minutes and loads are of the whole pool; tasks are those that the caller may see. All of it is of one moment.',
    tags: ['Monitoring'],
    querystring: Type.Object({}, closed),
    response: { 200: envelope(poolOverview) },
  },
} as const satisfies Endpoint;
