import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { closed, isoTime, nullable, oneOf } from '../shapes.ts';
import { fileSources } from './file.ts';
import {
  extraData,
  params,
  priorityRange,
  savedWorkflowReference,
  taskConversation,
  taskDetail,
  workflow,
} from './task.ts';

const tags = ['Files'];
const fileParams = Type.Object({ fileId: Type.String({ minLength: 1, maxLength: 64 }) });

/** One number in the graph that decides what a worker draws at random. */
export const recipeSeed = Type.Object({
  nodeId: Type.String(),
  title: Type.String({ description: 'The title of the node, or its class.' }),
  input: Type.String(),
  value: Type.Number(),
});

/** The words for one place of a graph. */
const placeNames = {
  title: nullable(Type.String({ description: 'The title of the node, or its class.' })),
  label: nullable(
    Type.String({
      description: 'The name that the form of the saved workflow gives it. Null where it gives none.',
    }),
  ),
  input: nullable(Type.String({ description: 'The input of the node.' })),
};

export const recipeValue = Type.Object({
  param: Type.String({
    description: 'The name under which the `params` of a task set it, such as `3.steps`.',
  }),
  ...placeNames,
  hidden: Type.Boolean({ description: 'The form of the saved workflow does not show it.' }),
  value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
});
export type RecipeValue = Static<typeof recipeValue>;

export const recipeInput = Type.Object({
  fileId: Type.String({ description: 'The file that the task was given.' }),
  filename: Type.String(),
  sha256: Type.String(),
  presentFileId: nullable(
    Type.String({
      description:
        'That file, or another one with the same content. Null when no file has this content any more.',
    }),
  ),
});

export const recipeTask = Type.Object({
  taskId: Type.String(),
  name: nullable(Type.String()),
  node: nullable(Type.String({ description: 'The id of the node that made the file.' })),
  nodeOutput: nullable(Type.Integer({ description: 'Which output of that node it is; the first is 0.' })),
  conversation: nullable({
    ...taskConversation,
    description: 'The tool call of an agent that asked for the task.',
  }),
  createdAt: isoTime,
  startedAt: nullable(isoTime),
  finishedAt: nullable(isoTime),
});

export const recipeWorker = Type.Object({
  instanceId: Type.String(),
  name: nullable(Type.String({ description: 'The name of its server when it got the task.' })),
  version: nullable(Type.String({ description: 'The version of the worker when it got the task.' })),
  attempt: Type.Integer(),
  startedAt: isoTime,
  endedAt: nullable(isoTime),
});

export const fileRecipe = Type.Object({
  fileId: Type.String(),
  filename: Type.String(),
  contentType: Type.String(),
  size: Type.Integer(),
  sha256: Type.String(),
  createdAt: isoTime,
  source: oneOf(fileSources, {
    description: 'An `upload` has no recipe: everything below is null or empty.',
  }),
  isShared: Type.Boolean({
    description:
      'It belongs to another user, who shares it with you: task, workflow, inputs and extra data are left out.',
  }),
  summary: Type.String({ description: 'How the file was made, in one sentence.' }),
  task: nullable(recipeTask),
  worker: nullable(recipeWorker),
  savedWorkflow: nullable(savedWorkflowReference),
  workflow: nullable({ ...workflow, description: 'The graph as it was submitted.' }),
  params: nullable(params),
  extraData: nullable({ ...extraData, description: 'Secrets in it are shown as `***`.' }),
  partialExecutionTargets: nullable(Type.Array(Type.String())),
  seeds: Type.Array(recipeSeed, { description: 'The seeds of the graph with its params in it.' }),
  inputs: Type.Array(recipeInput),
  values: Type.Array(recipeValue, {
    description:
      'The plain values of the graph with its params in it, in the order of the form. Links and files are left out. At most 1,000.',
  }),
});
export type FileRecipe = Static<typeof fileRecipe>;

export const getFileRecipe = {
  method: 'GET',
  url: '/api/files/:fileId/recipe',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'How a file was made',
    tags,
    params: fileParams,
    querystring: Type.Object({}, closed),
    response: { 200: envelope(fileRecipe) },
  },
} as const satisfies Endpoint;

/** The largest integer that every JSON reader keeps. */
const maxSeed = 9_007_199_254_740_991;

export const recipeChanges = Type.Object(
  {
    params: Type.Optional({
      ...params,
      description: 'Set besides those of the recipe; for the same input these count.',
    }),
    seed: Type.Optional(
      Type.Unsafe<'same' | 'random' | number>({
        anyOf: [{ enum: ['same', 'random'] }, { type: 'integer', minimum: 0, maximum: maxSeed }],
        description: '`same` (the default), `random`, or a number for every seed of the graph.',
      }),
    ),
    targetInstanceId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 300, description: 'Run on this instance only.' }),
    ),
    pool: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Run on a server with this tag only.' }),
    ),
    priority: Type.Optional(Type.Integer(priorityRange)),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  closed,
);
export type RecipeChanges = Static<typeof recipeChanges>;

export const makeFileAgain = {
  method: 'POST',
  url: '/api/files/:fileId/again',
  config: { access: 'dispatch:write', bodyLimit: 'large' },
  schema: {
    summary: 'Make a file again, with or without changes',
    description:
      'Submits the task that made the file once more, for the owner of the file. An input that was deleted is taken from another file with the same content. `Idempotency-Key` works as for a submission.',
    tags,
    params: fileParams,
    headers: Type.Object({
      'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    }),
    body: recipeChanges,
    response: { 200: envelope(taskDetail) },
  },
} as const satisfies Endpoint;

export const recipeDifference = Type.Object({
  left: Type.String({ description: 'The id of the first file.' }),
  right: Type.String({ description: 'The id of the second file.' }),
  files: Type.Array(Type.String(), { description: 'The ids of all files, in the order of `values`.' }),
  sameContent: Type.Boolean({ description: 'The bytes of all files are the same.' }),
  differences: Type.Array(
    Type.Object({
      path: Type.String({ description: 'For example `graph.3.inputs.seed` or `worker.version`.' }),
      ...placeNames,
      left: Type.Optional(Type.Unknown({ description: 'Absent when the first recipe lacks the path.' })),
      right: Type.Optional(Type.Unknown({ description: 'Absent when the second recipe lacks the path.' })),
      values: Type.Array(Type.Unknown(), {
        description: 'The value in the recipe of each file. Null where a recipe lacks the path.',
      }),
    }),
    { description: 'At most 500. Long values are cut.' },
  ),
  isCut: Type.Boolean({ description: 'There are more differences.' }),
});
export type RecipeDifference = Static<typeof recipeDifference>;

export const compareFileRecipes = {
  method: 'GET',
  url: '/api/files/:fileId/recipe/difference',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'What differs between the recipes of two to four files',
    description:
      'Compares the graphs with their params in them, the inputs by their content, the worker and the saved workflow.',
    tags,
    params: fileParams,
    querystring: Type.Object(
      {
        with: Type.String({
          minLength: 1,
          maxLength: 200,
          pattern: '^[^,]{1,64}(,[^,]{1,64}){0,2}$',
          description: 'The id of the other file, or of two or three others with commas between them.',
        }),
      },
      closed,
    ),
    response: { 200: envelope(recipeDifference) },
  },
} as const satisfies Endpoint;
