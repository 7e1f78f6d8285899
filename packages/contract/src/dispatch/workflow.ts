import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { closed, isoTime, nullable, oneOf, pageQuery, versionNumber } from '../shapes.ts';
import { maskPlaces } from './file.ts';
import { type ShareRight, shareRights, type ToolState, toolStates } from './share.ts';
import { params, taskDetail, workflow } from './task.ts';
import { newTask } from './tasks.ts';

const tags = ['Workflows'];
const workflowParams = Type.Object({ workflowId: Type.String({ minLength: 1, maxLength: 64 }) });

export const parameterTypes = [
  'string',
  'integer',
  'number',
  'boolean',
  'choice',
  'model',
  'file',
  'any',
] as const;

/** A form with more fields is of no use; further inputs of a graph keep their values. */
export const maxParameters = 1_000;

/** A name that a person can type after `-p` and a model can write as a key. */
const parameterName = Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_.-]+$' });
const label = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' });
const parameterText = Type.String({ maxLength: 1_000 });

export const workflowParameter = Type.Object({
  name: Type.String({ description: 'Under which `params` of a run give its value.' }),
  label: Type.String(),
  description: nullable(Type.String()),
  type: oneOf(parameterTypes, {
    description:
      '`choice`: one of `choices`. `model`: a model file; `choices` are those that were known. `file`: `{ "$file": "<fileId>" }`, or the name of a file that workers have. `any`: text, number or boolean.',
  }),
  required: Type.Boolean({ description: 'A placeholder has no value of its own.' }),
  default: Type.Unknown({ description: 'The value in the graph; null where a value is required.' }),
  minimum: nullable(Type.Number()),
  maximum: nullable(Type.Number()),
  step: Type.Optional(
    Type.Number({ description: 'The distance between two values, where the workers name one.' }),
  ),
  choices: nullable(Type.Array(Type.String())),
  multiline: Type.Boolean(),
  hidden: Type.Boolean({ description: 'Stays at its default: no run may set it.' }),
  pinned: Type.Boolean({ description: 'Stands at the top of the form, and first in the tool of an agent.' }),
  sets: Type.Array(Type.Object({ node: Type.String(), title: Type.String(), input: Type.String() }), {
    description: 'The inputs of the graph that it sets.',
  }),
  placeholder: nullable(Type.String({ description: 'The name in `{{name}}`, where it fills one.' })),
  mask: Type.Optional(
    oneOf(maskPlaces, {
      description:
        'Where the graph takes a mask from this picture. `alpha`: 1 where the picture is transparent, as the mask of LoadImage. `channel`: a channel of a picture that is a mask, as LoadImageMask reads it. Absent where no mask is used.',
    }),
  ),
});
export type WorkflowParameter = Static<typeof workflowParameter>;

/** What the record says of a workflow: how often it ran, for how long and for how much. */
export const workflowFigures = Type.Object({
  runs: Type.Integer({ description: 'The runs that completed.' }),
  runsIsMinimum: Type.Optional(Type.Boolean({ description: 'There are more than were counted.' })),
  seconds: nullable(
    Type.Number({ description: 'The median of the latest runs; null before the first one.' }),
  ),
  cost: nullable(
    Type.Number({ description: 'The price of a run that takes this long; null without a price.' }),
  ),
  currency: nullable(Type.String()),
});
export type WorkflowFigures = Static<typeof workflowFigures>;

export const workflowCover = nullable(
  Type.Object(
    {
      fileId: Type.String(),
      chosen: Type.Boolean({ description: 'Otherwise it is the last picture that the workflow has made.' }),
    },
    { description: 'Null before the first picture.' },
  ),
);

export const savedWorkflow = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  exposed: Type.Boolean({ description: 'The lead agent of its owner has it as a tool.' }),
  version: Type.Integer({ description: 'The newest, and the one that runs.' }),
  cover: workflowCover,
  figures: workflowFigures,
  createdAt: isoTime,
  updatedAt: isoTime,
});
export type SavedWorkflow = Static<typeof savedWorkflow>;

export const savedWorkflowDetail = Type.Object({
  ...savedWorkflow.properties,
  notes: Type.String({ description: 'What the version is for, or what changed with it.' }),
  lostFields: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'The labels of pinned fields that the new graph does not have. In the answer to a change and to an import.',
    }),
  ),
  workflow,
  parameters: Type.Array(workflowParameter, { description: 'In the order of the form.' }),
  schema: Type.Record(Type.String(), Type.Unknown(), {
    description: 'JSON Schema of the `params` of a run; also that of the tool.',
  }),
  share: Type.Unsafe<{ from: string; may: ShareRight; tool: ToolState } | null>({
    ...Type.Object({
      from: Type.String({ description: 'The e-mail address of its owner.' }),
      may: oneOf(shareRights),
      tool: oneOf(toolStates, {
        description:
          '`on`: your agents have it as a tool. `changed`: its owner has changed it since you switched it on.',
      }),
    }),
    type: ['object', 'null'],
    description: 'Null for your own workflows.',
  }),
});
export type SavedWorkflowDetail = Static<typeof savedWorkflowDetail>;

const name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  description: 'With something that can be seen. Unique among yours.',
});
const description = Type.String({ maxLength: 1_000 });
const notes = Type.String({ maxLength: 1_000 });

/** The presentation of one parameter. A field that is left out stays as it is. */
export const parameterEdit = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64, description: 'Its name now.' }),
    rename: Type.Optional(parameterName),
    label: Type.Optional(label),
    description: Type.Optional(parameterText),
    hidden: Type.Optional(Type.Boolean()),
    pinned: Type.Optional(Type.Boolean()),
    position: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxParameters - 1,
        description:
          'The place in the form that it moves to, counted from 0 among all parameters. Moves happen one after the other, in the order of this list.',
      }),
    ),
  },
  closed,
);
export type ParameterEdit = Static<typeof parameterEdit>;

const parameterEdits = Type.Array(parameterEdit, { maxItems: maxParameters });

export const newSavedWorkflow = Type.Object(
  {
    name,
    workflow,
    description: Type.Optional(description),
    exposed: Type.Optional(Type.Boolean({ default: false })),
    parameters: Type.Optional(parameterEdits),
    notes: Type.Optional(notes),
  },
  closed,
);
export type NewSavedWorkflow = Static<typeof newSavedWorkflow>;

export const savedWorkflowChange = Type.Object(
  {
    name: Type.Optional(name),
    workflow: Type.Optional(workflow),
    description: Type.Optional(description),
    exposed: Type.Optional(Type.Boolean()),
    parameters: Type.Optional(parameterEdits),
    restore: Type.Optional(
      versionNumber('Make the graph and the form of this version the newest. Not together with `workflow`.'),
    ),
    notes: Type.Optional(
      Type.String({
        maxLength: 1_000,
        description: 'Of the version that this change makes. Without one, they stand on the newest.',
      }),
    ),
    coverFileId: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'One of your pictures. Null takes the last result again.',
        }),
      ),
    ),
    version: Type.Optional(versionNumber('The version that you read: refused when it is not the newest.')),
  },
  closed,
);
export type SavedWorkflowChange = Static<typeof savedWorkflowChange>;

export const savedWorkflowVersion = Type.Object({
  version: Type.Integer(),
  notes: Type.String(),
  createdAt: isoTime,
});
export type SavedWorkflowVersion = Static<typeof savedWorkflowVersion>;

export const versionDifference = Type.Object({
  left: Type.Integer(),
  right: Type.Integer(),
  differences: Type.Array(
    Type.Object({
      part: oneOf(['graph', 'form'], { description: 'Where it differs: what runs, or how it is asked for.' }),
      title: Type.String({ description: 'The title of the node; for a form, the label of the field.' }),
      field: Type.String({ description: 'The input of the node, or the property of the field.' }),
      left: Type.Optional(Type.Unknown({ description: 'Absent when the first version lacks it.' })),
      right: Type.Optional(Type.Unknown({ description: 'Absent when the second version lacks it.' })),
    }),
    { description: 'At most 500. Long values are cut.' },
  ),
  isCut: Type.Boolean({ description: 'There are more differences.' }),
});
export type VersionDifference = Static<typeof versionDifference>;

/** A graph of the largest size, written with spaces, a form and a cover. */
export const maxExportBytes = 8_000_000;
/** A picture of the size of a cover has a tenth of it. */
const maxCoverCharacters = 1_000_000;

const exportedField = Type.Object(
  {
    name: parameterName,
    label,
    description: nullable(parameterText),
    hidden: Type.Boolean(),
    pinned: Type.Boolean(),
    placeholder: nullable(Type.String({ maxLength: 200 })),
    sets: Type.Array(
      Type.Object({ node: Type.String({ maxLength: 200 }), input: Type.String({ maxLength: 200 }) }, closed),
      { maxItems: 1_000 },
    ),
  },
  closed,
);

/** The first versions of the form of this file; a later gateway reads it as well. */
export const workflowExport = Type.Object(
  {
    format: Type.Literal('switchyard.workflow'),
    formatVersion: Type.Literal(1, { description: 'The version of the form of this file.' }),
    name,
    description,
    notes,
    workflow,
    form: Type.Array(exportedField, { maxItems: maxParameters, description: 'The fields in their order.' }),
    cover: nullable(
      Type.Object(
        {
          contentType: Type.String({ maxLength: 100 }),
          data: Type.String({ maxLength: maxCoverCharacters, description: 'Base64.' }),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type WorkflowExport = Static<typeof workflowExport>;

const { workflow: _workflow, strict: _strict, ...taskOptions } = newTask.properties;
export const workflowRun = Type.Object(
  {
    ...taskOptions,
    params: Type.Optional(params),
    version: Type.Optional(versionNumber('The newest when absent.')),
  },
  closed,
);
export type WorkflowRun = Static<typeof workflowRun>;

export const createWorkflow = {
  method: 'POST',
  url: '/api/workflows',
  config: { access: 'dispatch:write', bodyLimit: 'large' },
  schema: {
    summary: 'Save a workflow',
    description:
      'From a graph in API format. Its parameters are read from the graph and from what the workers say about their nodes. Where the graph has placeholders, the other inputs begin hidden.',
    tags,
    body: newSavedWorkflow,
    response: { 200: envelope(savedWorkflowDetail) },
  },
} as const satisfies Endpoint;

export const listWorkflows = {
  method: 'GET',
  url: '/api/workflows',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'Your saved workflows, by name',
    tags,
    querystring: Type.Object(
      {
        ...pageQuery,
        name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Only this one.' })),
      },
      closed,
    ),
    response: {
      200: envelope(Type.Object({ total: Type.Integer(), items: Type.Array(savedWorkflow) })),
    },
  },
} as const satisfies Endpoint;

export const getWorkflow = {
  method: 'GET',
  url: '/api/workflows/:workflowId',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'One saved workflow',
    tags,
    params: workflowParams,
    querystring: Type.Object(
      {
        version: Type.Optional(versionNumber('The newest when absent.')),
      },
      closed,
    ),
    response: { 200: envelope(savedWorkflowDetail) },
  },
} as const satisfies Endpoint;

export const updateWorkflow = {
  method: 'PUT',
  url: '/api/workflows/:workflowId',
  config: { access: 'dispatch:write', bodyLimit: 'large' },
  schema: {
    summary: 'Change a saved workflow',
    description:
      'Another graph, or parameters that are shown otherwise, make a new version. Parameters that are still in the new graph keep how they are shown.',
    tags,
    params: workflowParams,
    body: savedWorkflowChange,
    response: { 200: envelope(savedWorkflowDetail) },
  },
} as const satisfies Endpoint;

export const listWorkflowVersions = {
  method: 'GET',
  url: '/api/workflows/:workflowId/versions',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'The versions that are kept, the newest first',
    tags,
    params: workflowParams,
    querystring: Type.Object({}, closed),
    response: { 200: envelope(Type.Array(savedWorkflowVersion)) },
  },
} as const satisfies Endpoint;

export const noteWorkflowVersion = {
  method: 'PUT',
  url: '/api/workflows/:workflowId/versions/:version',
  config: { access: 'dispatch:write' },
  schema: {
    summary: 'Write the notes of a version',
    tags,
    params: Type.Object({ ...workflowParams.properties, version: versionNumber() }),
    body: Type.Object({ notes }, closed),
    response: { 200: envelope(savedWorkflowVersion) },
  },
} as const satisfies Endpoint;

export const compareWorkflowVersions = {
  method: 'GET',
  url: '/api/workflows/:workflowId/difference',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'What differs between two versions of a workflow',
    description: 'By the title of a node and its input, and by the label of a field and its property.',
    tags,
    params: workflowParams,
    querystring: Type.Object(
      { left: versionNumber(), right: Type.Optional(versionNumber('The newest when absent.')) },
      closed,
    ),
    response: { 200: envelope(versionDifference) },
  },
} as const satisfies Endpoint;

export const exportWorkflow = {
  method: 'GET',
  url: '/api/workflows/:workflowId/export',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'One version of a workflow as a file',
    description:
      'Graph, form, notes, and the cover as a small picture. `POST /api/workflows/import` takes it.',
    tags,
    params: workflowParams,
    querystring: Type.Object({ version: Type.Optional(versionNumber('The newest when absent.')) }, closed),
    response: { 200: envelope(workflowExport) },
  },
} as const satisfies Endpoint;

export const importWorkflow = {
  method: 'POST',
  url: '/api/workflows/import',
  config: { access: 'dispatch:write', bodyLimit: maxExportBytes },
  schema: {
    summary: 'Save a workflow from an exported file',
    description:
      'The cover becomes one of your files. Fields that the graph does not have are left out and named in `lostFields`.',
    tags,
    querystring: Type.Object({ name: Type.Optional(name) }, closed),
    body: workflowExport,
    response: { 200: envelope(savedWorkflowDetail) },
  },
} as const satisfies Endpoint;

export const deleteWorkflow = {
  method: 'DELETE',
  url: '/api/workflows/:workflowId',
  config: { access: 'dispatch:write' },
  schema: {
    summary: 'Delete a saved workflow with its versions',
    tags,
    params: workflowParams,
    response: { 200: envelope(Type.Object({ id: Type.String() })) },
  },
} as const satisfies Endpoint;

export const copyWorkflow = {
  method: 'POST',
  url: '/api/workflows/:workflowId/copy',
  config: { access: 'dispatch:write' },
  schema: {
    summary: 'Save a copy of a workflow as your own',
    description:
      'Of the newest version, of a workflow of yours or of one that is shared with you. Files that are fixed in a shared one are not copied: give your own.',
    tags,
    params: workflowParams,
    body: Type.Object({ name: Type.Optional(name) }, closed),
    response: { 200: envelope(savedWorkflowDetail) },
  },
} as const satisfies Endpoint;

export const switchSharedTool = {
  method: 'PUT',
  url: '/api/workflows/:workflowId/tool',
  config: { access: 'dispatch:write' },
  schema: {
    summary: 'Give a shared workflow to your agents, or take it from them',
    description:
      'Agents and clients of MCP and OpenAI read its texts, which its owner wrote. When the owner changes the workflow it is off again. For your own workflows, change `exposed`.',
    tags,
    params: workflowParams,
    body: Type.Object({ on: Type.Boolean() }, closed),
    response: { 200: envelope(savedWorkflowDetail) },
  },
} as const satisfies Endpoint;

export const runWorkflow = {
  method: 'POST',
  url: '/api/workflows/:workflowId/run',
  config: { access: 'dispatch:write', bodyLimit: 'large' },
  schema: {
    summary: 'Run a saved workflow',
    description:
      'Submits a task, as `POST /api/tasks` does, with the values in `params` by the names of the parameters.',
    tags,
    params: workflowParams,
    headers: Type.Object({
      'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    }),
    body: workflowRun,
    response: { 200: envelope(taskDetail) },
  },
} as const satisfies Endpoint;
