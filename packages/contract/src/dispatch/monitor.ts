import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { nullable } from '../shapes.ts';
import { pausedQueue } from './queue.ts';

export const overview = Type.Object({
  totalInstances: Type.Integer(),
  aliveInstances: Type.Integer(),
  busyInstances: Type.Integer(),
  pendingTasks: Type.Integer(),
  runningTasks: Type.Integer(),
  completedTasks: Type.Integer(),
  failedTasks: Type.Integer(),
  disabledInstances: Type.Integer(),
  oldestPendingSeconds: nullable(Type.Integer()),
  tasksPerMinute: Type.Number({ description: 'Tasks that ended, over the last five minutes.' }),
  waitMsP50: nullable(Type.Integer({ description: 'From submit to the start on a worker.' })),
  waitMsP95: nullable(Type.Integer()),
  paused: nullable(
    Type.Object(pausedQueue.properties, { description: 'Null unless the whole queue is paused.' }),
  ),
  pausedPools: Type.Array(Type.String(), { description: 'The tags of pools that are paused.' }),
});
export type Overview = Static<typeof overview>;

export const getOverview = {
  method: 'GET',
  url: '/api/monitor/overview',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'Counts of instances and tasks',
    tags: ['Monitoring'],
    response: { 200: envelope(overview) },
  },
} as const satisfies Endpoint;
