import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { isoTime, nullable, oneOf } from '../shapes.ts';
import { runParams } from './ids.ts';
import { runStatuses } from './run.ts';

/** The things that a run can wait for. */
export const runWaits = ['time', 'turn', 'slot', 'pool', 'human'] as const;

export const runWhy = Type.Object({
  run_id: Type.String(),
  thread_id: Type.String(),
  status: oneOf(runStatuses),
  waits_for: nullable(
    oneOf(runWaits, {
      description:
        '`time`: it is to start later. `turn`: other runs of its thread go before it. `slot`: the gateway works on as many runs as it may. `pool`: a task of it waits for a worker. `human`: it has ended, and its thread waits for an answer. Null when it waits for nothing.',
    }),
  ),
  waiting: Type.String({ description: 'The answer in a sentence.' }),
  position: nullable(Type.Integer({ description: 'Place in the line of its thread; 1 is next.' })),
  ahead: nullable(Type.Integer({ description: 'Runs of its thread that go before it.' })),
  starts_at: nullable({ ...isoTime, description: 'It starts no earlier.' }),
  started_at: nullable(isoTime),
  tasks: Type.Array(Type.Object({ task_id: Type.String(), waiting: Type.String() }), {
    description: 'The tasks that it waits for now, at most 20, each with why it waits or where it runs.',
  }),
});
export type RunWhy = Static<typeof runWhy>;

export const whyRun = {
  method: 'GET',
  url: '/api/threads/:thread_id/runs/:run_id/why',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'What a run waits for',
    tags: ['Runs'],
    params: runParams,
    querystring: Type.Object({}, { additionalProperties: false }),
    response: { 200: runWhy },
  },
} as const satisfies Endpoint;
