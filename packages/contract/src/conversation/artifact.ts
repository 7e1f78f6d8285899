import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { threadId } from './ids.ts';

const tags = ['Artifacts'];
const url = '/api/threads/:thread_id/artifacts/*';
const params = Type.Object({
  thread_id: threadId,
  '*': Type.String({
    maxLength: 4_096,
    description: 'A virtual path without its first slash: `mnt/user-data/outputs/report.md`.',
  }),
});

export const artifactEdit = Type.Object({
  content: Type.String({ description: 'Text of at most 2 MB.' }),
  expected_sha256: Type.String({
    pattern: '^[0-9a-fA-F]{64}$',
    description: 'Of the content that is to be replaced; another one is refused with 412.',
  }),
});
export type ArtifactEdit = Static<typeof artifactEdit>;

export const getArtifact = {
  method: 'GET',
  url,
  config: { access: 'conversation:read' },
  schema: {
    summary: "Load one of the caller's files of a thread",
    description:
      'Uploads, workspace and outputs. `…/x.skill/inner/path` loads a member of that archive. `Range` and `If-None-Match` are honoured; what a browser could run is always sent as an attachment.',
    tags,
    params,
    querystring: Type.Object({
      download: Type.Optional(Type.Boolean({ default: false, description: 'As an attachment in any case.' })),
    }),
    response: { 200: Type.Unknown({ description: 'The bytes of the file.' }) },
  },
} as const satisfies Endpoint;

export const putArtifact = {
  method: 'PUT',
  url,
  config: { access: 'conversation:write', bodyLimit: 'large' },
  schema: {
    summary: 'Replace the text of a file below outputs',
    description:
      'Only while no run of the thread is at work, and only what is still as the caller has read it.',
    tags,
    params,
    body: artifactEdit,
    response: {
      200: Type.Object({
        path: Type.String({ description: 'The virtual path.' }),
        sha256: Type.String(),
        size: Type.Integer(),
      }),
    },
  },
} as const satisfies Endpoint;
