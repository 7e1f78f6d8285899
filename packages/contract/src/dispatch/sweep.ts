import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { sentenceList } from '../sentences/sentence.ts';
import {
  closed,
  isoTime,
  maxInteger,
  nullable,
  oneOf,
  pageQuery,
  versionNumber,
  wholeNumber,
} from '../shapes.ts';
import { params, taskOutput, taskSettings } from './task.ts';

const tags = ['Sweeps'];
const sweepParams = Type.Object({ sweepId: Type.String({ minLength: 1, maxLength: 64 }) });
const paramName = Type.String({ minLength: 1, maxLength: 64 });
const sweepName = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'With something that can be seen.',
});

export const sweepLimits = {
  /** More runs than this are a mistake more often than a wish. */
  runs: 1_000,
  /** A grid has two sides, and one more of these grids for each value of the third. */
  axes: 3,
  /** The values of all runs as JSON: each task stores its own. */
  valueBytes: 32_000_000,
  lineBytes: 1_000_000,
  perUser: 1_000,
} as const;

export const sweepAxis = Type.Object(
  {
    param: paramName,
    values: Type.Optional(
      Type.Array(Type.Unknown(), { minItems: 1, maxItems: sweepLimits.runs, description: 'These values.' }),
    ),
    range: Type.Optional(
      Type.Object(
        {
          from: Type.Number(),
          to: Type.Number({ description: 'May be below `from`: then it counts down.' }),
          step: Type.Number({ exclusiveMinimum: 0 }),
        },
        { ...closed, description: 'From one number to another, both within the range of the parameter.' },
      ),
    ),
    lines: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: sweepLimits.lineBytes,
        description: 'One value a line. Empty lines are left out.',
      }),
    ),
    seeds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxInteger,
        description:
          'So many different random numbers within the range of the parameter. The sweep lists them.',
      }),
    ),
  },
  { ...closed, description: 'One of `values`, `range`, `lines` and `seeds`.' },
);
export type SweepAxisInput = Static<typeof sweepAxis>;

const { name: _name, note: _note, ...runSettings } = taskSettings;

export const newSweep = Type.Object(
  {
    workflowId: Type.String({ minLength: 1, maxLength: 64 }),
    version: Type.Optional(versionNumber('The newest when absent.')),
    name: Type.Optional({
      ...sweepName,
      description: 'With something that can be seen. The name of the workflow when absent.',
    }),
    params: Type.Optional({ ...params, description: 'What all runs have in common, as for a run.' }),
    axes: Type.Array(sweepAxis, {
      minItems: 1,
      maxItems: sweepLimits.axes,
      description:
        'The first axis stands at the top of the grid, the second at its side, the third makes a grid for each of its values. There is a run for each combination.',
    }),
    wildcards: Type.Optional(
      Type.Array(paramName, {
        maxItems: 50,
        uniqueItems: true,
        description:
          'Text parameters in which each run picks one of `{a|b}`. Groups may stand in groups; `\\{`, `\\|` and `\\}` are the signs themselves; `{{name}}` stays.',
      }),
    ),
    wildcardSeed: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxInteger,
        description: 'The same seed picks the same. Random when absent; the sweep shows it.',
      }),
    ),
    ...runSettings,
  },
  closed,
);
export type NewSweep = Static<typeof newSweep>;

export const sweepOutlook = Type.Object({
  total: Type.Integer({ description: 'The runs that it would make.' }),
  maxRuns: Type.Integer({ description: 'One sweep may make so many.' }),
  axes: Type.Array(Type.Object({ param: Type.String(), count: Type.Integer() })),
  totals: Type.Object({ instances: Type.Integer(), couldRun: Type.Integer() }),
  seconds: nullable(
    Type.Object(
      { low: Type.Number(), high: Type.Number() },
      {
        description:
          'How long all runs take on the instances that could run them, without what waits before them. Null where fewer than five runs of the workflow are known.',
      },
    ),
  ),
  cost: nullable(
    Type.Object(
      { low: Type.Number(), high: Type.Number(), currency: Type.String() },
      {
        description:
          'What the work of all runs costs. Null without a price of the workers, or without seconds.',
      },
    ),
  ),
});
export type SweepOutlook = Static<typeof sweepOutlook>;

/**
 * `waiting`: its task is not made yet. `refused`: no task could be made. `stopped`: the rest was cancelled before its task
 * was made. The others are states of its task.
 */
export const cellStates = [
  'waiting',
  'refused',
  'stopped',
  'pending',
  'running',
  'completed',
  'failed',
  'cancelled',
] as const;
export type CellState = (typeof cellStates)[number];

const count = Type.Integer();
export const sweep = Type.Object({
  id: Type.String(),
  workflowId: Type.String(),
  version: Type.Integer({ description: 'Of the workflow.' }),
  name: Type.String(),
  axes: Type.Array(Type.Object({ param: Type.String(), label: Type.String(), count: Type.Integer() })),
  total: Type.Integer(),
  counts: Type.Object({
    waiting: count,
    refused: count,
    stopped: count,
    pending: count,
    running: count,
    completed: count,
    failed: count,
    cancelled: count,
  }),
  waitsFor: nullable(Type.String({ description: 'Why no more tasks are made at the moment.' })),
  waitsForSentences: sentenceList,
  createdAt: isoTime,
});
export type Sweep = Static<typeof sweep>;

export const sweepDetail = Type.Object({
  ...sweep.properties,
  params,
  axes: Type.Array(
    Type.Object({
      param: Type.String(),
      label: Type.String({ description: 'Of the parameter, when the sweep was made.' }),
      count: Type.Integer(),
      values: Type.Array(Type.Unknown(), {
        description: 'In their order. Seeds and ranges stand here one by one.',
      }),
    }),
  ),
  wildcards: Type.Array(Type.String()),
  wildcardSeed: nullable(Type.Integer()),
  settings: Type.Object(runSettings, { description: 'What its tasks have in common beside their values.' }),
});
export type SweepDetail = Static<typeof sweepDetail>;

export const sweepCell = Type.Object({
  cell: Type.Integer({ description: 'Its number, from 0. The first axis counts fastest.' }),
  at: Type.Array(Type.Integer(), { description: 'Its place on each axis, from 0.' }),
  values: {
    ...params,
    description: 'What this run has of its own: its values of the axes, and picked wildcards.',
  },
  state: oneOf(cellStates),
  taskId: nullable(Type.String()),
  progress: Type.Integer({ description: 'Per cent.' }),
  cancelRequested: Type.Boolean({
    description: 'Its task was asked to stop. A running one goes on until its worker has stopped it.',
  }),
  error: nullable(
    Type.Object({ code: Type.String(), message: Type.String(), sentences: Type.Optional(sentenceList) }),
  ),
  outputs: Type.Array(taskOutput, { description: 'The files that still exist.' }),
});
export type SweepCell = Static<typeof sweepCell>;

/** The cells that can be tried again. */
export const retriedStates = ['failed', 'refused', 'cancelled', 'stopped'] as const;

export const createSweep = {
  method: 'POST',
  url: '/api/sweeps',
  config: { access: 'dispatch:write', bodyLimit: 'large' },
  schema: {
    summary: 'Run a saved workflow with many values',
    description: `Makes a grid of at most ${sweepLimits.runs} runs. Their tasks are made in the background, each once, also after a restart; while the queue has no room for them, they wait. The same \`Idempotency-Key\` with the same body answers with the first sweep.`,
    tags,
    headers: Type.Object({
      'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    }),
    body: newSweep,
    response: { 200: envelope(sweepDetail) },
  },
} as const satisfies Endpoint;

export const foreseeSweep = {
  method: 'POST',
  url: '/api/sweeps/outlook',
  config: { access: 'dispatch:read', bodyLimit: 'large' },
  schema: {
    summary: 'How many runs a sweep would make, how long they take and what they cost',
    description: 'Asks before a sweep and changes nothing. What would be refused there is refused here.',
    tags,
    body: newSweep,
    response: { 200: envelope(sweepOutlook) },
  },
} as const satisfies Endpoint;

export const listSweeps = {
  method: 'GET',
  url: '/api/sweeps',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'Your sweeps, the newest first',
    tags,
    querystring: Type.Object(
      { ...pageQuery, workflowId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })) },
      closed,
    ),
    response: { 200: envelope(Type.Object({ total: Type.Integer(), items: Type.Array(sweep) })) },
  },
} as const satisfies Endpoint;

export const getSweep = {
  method: 'GET',
  url: '/api/sweeps/:sweepId',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'A sweep with its axes, and how far it is',
    tags,
    params: sweepParams,
    querystring: Type.Object({}, closed),
    response: { 200: envelope(sweepDetail) },
  },
} as const satisfies Endpoint;

export const renameSweep = {
  method: 'PATCH',
  url: '/api/sweeps/:sweepId',
  config: { access: 'dispatch:write', bodyLimit: 16_384 },
  schema: {
    summary: 'Give a sweep another name',
    tags,
    params: sweepParams,
    body: Type.Object({ name: sweepName }, closed),
    response: { 200: envelope(sweepDetail) },
  },
} as const satisfies Endpoint;

export const listSweepCells = {
  method: 'GET',
  url: '/api/sweeps/:sweepId/cells',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'The cells of a sweep with their values, tasks and files',
    tags,
    params: sweepParams,
    querystring: Type.Object(
      {
        limit: Type.Optional(wholeNumber({ minimum: 1, maximum: 200, default: 100 })),
        cursor: Type.Optional(
          Type.String({
            pattern: '^\\d{1,4}$',
            maxLength: 4,
            description: '`nextCursor` of the page before.',
          }),
        ),
      },
      closed,
    ),
    response: {
      200: envelope(
        Type.Object({
          items: Type.Array(sweepCell),
          nextCursor: nullable(
            Type.String({ description: 'The `cursor` of the next page. Null on the last one.' }),
          ),
        }),
      ),
    },
  },
} as const satisfies Endpoint;

export const cancelSweep = {
  method: 'POST',
  url: '/api/sweeps/:sweepId/cancel',
  config: { access: 'dispatch:write', bodyLimit: 16_384 },
  schema: {
    summary: 'Cancel what is left of a sweep',
    description: 'Makes no more tasks, and cancels those that have not ended. What is done stays.',
    tags,
    params: sweepParams,
    response: { 200: envelope(sweepDetail) },
  },
} as const satisfies Endpoint;

export const retrySweep = {
  method: 'POST',
  url: '/api/sweeps/:sweepId/retry',
  config: { access: 'dispatch:write', bodyLimit: 16_384 },
  schema: {
    summary: 'Run cells again that have no result',
    description: 'With the same values. A cell then shows its new task.',
    tags,
    params: sweepParams,
    body: Type.Object(
      {
        states: Type.Optional(
          Type.Array(oneOf(retriedStates), {
            minItems: 1,
            maxItems: retriedStates.length,
            uniqueItems: true,
            description:
              '`failed` and `refused` when absent. `cancelled` and `stopped` run the rest after all.',
          }),
        ),
      },
      closed,
    ),
    response: { 200: envelope(sweepDetail) },
  },
} as const satisfies Endpoint;

export const deleteSweep = {
  method: 'DELETE',
  url: '/api/sweeps/:sweepId',
  config: { access: 'dispatch:write' },
  schema: {
    summary: 'Delete a sweep',
    description:
      'Its tasks and files stay; the files are kept no longer than other files. Cells without a task get none; tasks that were made go on, unless the sweep is cancelled first.',
    tags,
    params: sweepParams,
    response: { 200: envelope(Type.Object({ id: Type.String() })) },
  },
} as const satisfies Endpoint;
