import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { isoTime, nullable, oneOf } from '../shapes.ts';
import { shownPause } from './queue.ts';
import { eta, taskPhases, taskStatuses } from './task.ts';

/** The reasons for which an instance does not take a task now. */
export const obstacleCodes = [
  'off',
  'draining',
  'unreachable',
  'checking',
  'suspect',
  'paused',
  'used_by_others',
  'busy',
  'not_targeted',
  'lacks',
  'cooling',
  'avoided',
] as const;
export type ObstacleCode = (typeof obstacleCodes)[number];

export const obstacle = Type.Object({
  code: oneOf(obstacleCodes, {
    description:
      '`used_by_others`: somebody works on it past the gateway. `busy`: it works on a task of this gateway. `cooling`: tasks like this one failed on it a moment ago. `avoided`: it refused this task, or failed at it.',
  }),
  message: Type.String({ description: 'The reason as a sentence.' }),
  until: nullable({ ...isoTime, description: 'When the reason ends by itself, where that is known.' }),
  missing: Type.Array(Type.String(), {
    description: 'The node classes and model files that the instance lacks.',
  }),
  pause: nullable({ ...shownPause, description: 'The pause behind `paused`; null for every other reason.' }),
});

export const instanceOutlook = Type.Object({
  instanceId: Type.String(),
  serverName: Type.String(),
  couldRun: Type.Boolean({
    description: 'It could run the task now, or as soon as it is done with a task of this gateway.',
  }),
  reasons: Type.Array(obstacle, { description: 'Empty when it is free for the task.' }),
});
export type InstanceOutlook = Static<typeof instanceOutlook>;

export const tasksAhead = Type.Object({
  total: Type.Integer(),
  higherPriority: Type.Integer(),
  own: Type.Integer({ description: 'Older tasks of the same user with the same priority.' }),
  others: Type.Integer({ description: 'Tasks of other users that have their turn before.' }),
  competing: Type.Integer({
    description: 'How many of all these an instance that could run the task can run.',
  }),
});

export const taskWhy = Type.Object({
  taskId: Type.String(),
  status: oneOf(taskStatuses),
  phase: oneOf(taskPhases),
  waiting: Type.String({ description: 'The answer in a sentence or two.' }),
  position: nullable(Type.Integer({ description: 'Place in the queue; 1 is next.' })),
  ahead: nullable(tasksAhead),
  pause: nullable({ ...shownPause, description: 'What all tasks, or all of its user’s, wait for.' }),
  retryAt: nullable({ ...isoTime, description: 'It came back from a worker and is placed again then.' }),
  totals: Type.Object({
    instances: Type.Integer(),
    couldRun: Type.Integer(),
    free: Type.Integer({ description: 'How many of those have nothing to do.' }),
  }),
  instances: Type.Array(instanceOutlook, {
    description: 'At most 100; those that could run it stand first.',
  }),
  runsOn: nullable(
    Type.Object({
      instanceId: Type.String(),
      since: isoTime,
      seconds: Type.Integer(),
      node: nullable(Type.String({ description: 'Title of the running node.' })),
    }),
  ),
  eta: nullable(eta),
  help: Type.Array(Type.String(), { description: 'What would let it start sooner; at most 5 sentences.' }),
});
export type TaskWhy = Static<typeof taskWhy>;

export const whyTask = {
  method: 'GET',
  url: '/api/tasks/:taskId/why',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'Why a task waits, what is ahead of it, and what would help',
    description:
      'The reasons come from the rules that place tasks, at the moment of the question. Of other users’ tasks it gives numbers alone.',
    tags: ['Tasks'],
    params: Type.Object({ taskId: Type.String({ minLength: 1, maxLength: 64 }) }),
    querystring: Type.Object({}, { additionalProperties: false }),
    response: { 200: envelope(taskWhy) },
  },
} as const satisfies Endpoint;
