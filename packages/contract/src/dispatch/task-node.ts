import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { isoTime, nullable, oneOf, wholeNumber } from '../shapes.ts';

export const nodeStates = ['running', 'finished', 'cached', 'failed', 'stopped'] as const;

export const taskNode = Type.Object({
  attempt: Type.Integer(),
  node: Type.String({ description: 'Id of the node in the workflow.' }),
  title: Type.String({ description: 'The title of the node, or its class when it has none.' }),
  class: Type.String(),
  startedAt: nullable({
    ...isoTime,
    description: 'Null when the worker told of the node only after it had ended.',
  }),
  endedAt: nullable(isoTime),
  cached: Type.Boolean({ description: 'The worker still had the result of the node and did not run it.' }),
  state: oneOf(nodeStates, {
    description: '`stopped`: the attempt ended while the node ran, without an error of the node.',
  }),
});
export type TaskNode = Static<typeof taskNode>;

/** Stands for the nodes of an attempt beyond those that are kept one by one. */
export const foldedNodes = Type.Object({
  attempt: Type.Integer(),
  count: Type.Integer(),
  cached: Type.Integer({ description: 'How many of them the worker did not run.' }),
  startedAt: nullable(isoTime),
  endedAt: nullable(isoTime),
});

export const usualNodeTime = Type.Object({
  node: Type.String({ description: 'Id of the node in the workflow.' }),
  title: Type.String(),
  seconds: Type.Number({ description: 'The median of the times that are known.' }),
});
export type UsualNodeTime = Static<typeof usualNodeTime>;

export const taskNodeList = Type.Object({
  items: Type.Array(taskNode),
  usual: Type.Array(usualNodeTime, {
    description:
      'How long the nodes of such a graph take: from the newest 20 completed tasks with the same graph, whichever instance ran them. A node that ran in fewer than five of them has no entry, and those that did not run because the worker had their result do not count. On the first page alone; later pages have an empty list.',
  }),
  folded: Type.Array(foldedNodes, {
    description: 'One entry for each attempt with more than 2,000 nodes: what is not listed one by one.',
  }),
  nextCursor: nullable(Type.String({ description: 'The `cursor` of the next page. Null on the last one.' })),
});
export type TaskNodeList = Static<typeof taskNodeList>;

export const listTaskNodes = {
  method: 'GET',
  url: '/api/tasks/:taskId/nodes',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'When each node of a task began and ended, attempt after attempt',
    description:
      'Times are those at which the gateway heard of the node. While an attempt runs, its nodes stand here a few seconds late; `task_progress` on the WebSocket names the running node at once. At most 2,000 nodes of an attempt are listed.',
    tags: ['Tasks'],
    params: Type.Object({ taskId: Type.String({ minLength: 1, maxLength: 64 }) }),
    querystring: Type.Object(
      {
        limit: Type.Optional(wholeNumber({ minimum: 1, maximum: 500, default: 200 })),
        cursor: Type.Optional(
          Type.String({
            pattern: '^[0-9]{1,6}-[0-9]{1,6}$',
            description: '`nextCursor` of the page before.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    response: { 200: envelope(taskNodeList) },
  },
} as const satisfies Endpoint;
