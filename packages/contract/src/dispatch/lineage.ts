import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';
import { isoTime, nullable, oneOf, wholeNumber } from '../shapes.ts';
import { fileSources } from './file.ts';
import { taskStatuses } from './task.ts';

export const lineageDirections = ['up', 'down', 'both'] as const;
export type LineageDirection = (typeof lineageDirections)[number];

const level = Type.Integer({
  description:
    'Generations from the file that was asked for: below 0 what it came from, above 0 what came of it.',
});

export const lineageFile = Type.Object({
  id: Type.String({
    description: 'The id in `edges`: that of the file, or `sha256:…` of one that was deleted.',
  }),
  fileId: nullable(Type.String({ description: 'Null when the file was deleted.' })),
  filename: Type.String(),
  sha256: Type.String(),
  url: nullable(Type.String()),
  size: nullable(Type.Integer()),
  contentType: nullable(Type.String()),
  source: nullable(oneOf(fileSources)),
  createdAt: nullable(isoTime),
  level,
});
export type LineageFile = Static<typeof lineageFile>;

export const lineageTask = Type.Object({
  id: Type.String({ description: 'The id of the task.' }),
  name: nullable(Type.String()),
  status: oneOf(taskStatuses),
  instanceId: nullable(Type.String()),
  workflowId: nullable(Type.String({ description: 'The saved workflow that it was made from.' })),
  createdAt: isoTime,
  level,
});
export type LineageTask = Static<typeof lineageTask>;

export const fileLineage = Type.Object({
  fileId: Type.String(),
  direction: oneOf(lineageDirections),
  depth: Type.Integer(),
  files: Type.Array(lineageFile),
  tasks: Type.Array(lineageTask),
  edges: Type.Array(Type.Object({ from: Type.String(), to: Type.String() }), {
    description:
      'From a file to a task that used it, from a task to a file that it made, and from a file to an upload of the same content.',
  }),
  cut: nullable(
    oneOf(['depth', 'nodes'], { description: 'There is more, beyond the depth or beyond 1,000 nodes.' }),
  ),
});
export type FileLineage = Static<typeof fileLineage>;

export const getFileLineage = {
  method: 'GET',
  url: '/api/files/:fileId/lineage',
  config: { access: 'dispatch:read' },
  schema: {
    summary: 'What a file came from, and what came of it',
    description:
      'A file is followed by its content: a task that used another file of the same owner with the same bytes is found too.',
    tags: ['Files'],
    params: Type.Object({ fileId: Type.String({ minLength: 1, maxLength: 64 }) }),
    querystring: Type.Object(
      {
        direction: Type.Optional(oneOf(lineageDirections, { description: '`both` by default.' })),
        depth: Type.Optional(
          wholeNumber({ minimum: 1, maximum: 100, default: 20, description: 'Generations each way.' }),
        ),
      },
      { additionalProperties: false },
    ),
    response: { 200: envelope(fileLineage) },
  },
} as const satisfies Endpoint;
