import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { nullable, oneOf, versionNumber } from '../shapes.ts';
import { params } from './task.ts';
import { instanceOutlook } from './task-why.ts';

export const workflowOutlookQuestion = Type.Object(
  {
    params: Type.Optional({
      ...params,
      description: 'As for a run. A value that a run would refuse is left out.',
    }),
    version: Type.Optional(versionNumber('The newest when absent.')),
    instanceId: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
    pool: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  },
  { additionalProperties: false },
);
export type WorkflowOutlookQuestion = Static<typeof workflowOutlookQuestion>;

export const workflowOutlook = Type.Object({
  totals: Type.Object({
    instances: Type.Integer(),
    couldRun: Type.Integer(),
    free: Type.Integer({ description: 'How many of those have nothing to do.' }),
  }),
  instances: Type.Array(instanceOutlook, {
    description: 'At most 100; those that could run it stand first.',
  }),
  seconds: nullable(
    Type.Object(
      { low: Type.Number(), high: Type.Number() },
      {
        description:
          'How long one run takes on those that could run it: the quartiles of at least five tasks with the same graph. Null where fewer are known.',
      },
    ),
  ),
  cost: nullable(
    Type.Object(
      { low: Type.Number(), high: Type.Number(), currency: Type.String() },
      { description: 'What these seconds cost. Null without a price of the workers, or without seconds.' },
    ),
  ),
  instead: Type.Array(
    Type.Object({
      model: Type.String({ description: 'A model of the graph that none of the instances has.' }),
      instances: Type.Array(Type.String(), {
        description: 'The names of those that have others for its input.',
      }),
      models: Type.Array(Type.String(), { description: 'At most three that all of them have.' }),
    }),
    { description: 'Other models, where nothing can run it. Empty otherwise.' },
  ),
  queueFull: nullable(
    oneOf(['all', 'user'], {
      description: 'The queue takes no further run: of anybody, or of this user. Null while it takes one.',
    }),
  ),
  maxPriority: Type.Integer({ description: 'The highest priority that the caller may give a task.' }),
});
export type WorkflowOutlook = Static<typeof workflowOutlook>;

export const foreseeWorkflow = {
  method: 'POST',
  url: '/api/workflows/:workflowId/outlook',
  config: { access: 'dispatch:read', bodyLimit: 'large' },
  schema: {
    summary: 'Where a saved workflow could run, how long it takes and what it costs',
    description:
      'Asks before a run and changes nothing. The reasons come from the rules that place tasks, at the moment of the question.',
    tags: ['Workflows'],
    params: Type.Object({ workflowId: Type.String({ minLength: 1, maxLength: 64 }) }),
    body: workflowOutlookQuestion,
    response: { 200: envelope(workflowOutlook) },
  },
} as const satisfies Endpoint;
