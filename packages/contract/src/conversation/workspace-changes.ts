import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { nullable, oneOf } from '../shapes.ts';
import { runParams } from './ids.ts';
import { openRecord } from './thread.ts';

const count = Type.Integer({ minimum: 0 });
const digest = nullable(
  Type.String({ description: 'Null for a sensitive file and for one that is too large.' }),
);
const linkTarget = nullable(Type.String({ description: 'Agents make no links, so it is null.' }));

export const changedFile = Type.Object({
  path: Type.String({ description: 'Virtual, such as `/mnt/user-data/outputs/report.md`.' }),
  root: Type.String({ description: 'The folder of the thread: `workspace`, `outputs` or `uploads`.' }),
  status: oneOf(['created', 'modified', 'deleted', 'symlink_created']),
  binary: Type.Boolean(),
  sensitive: Type.Boolean({ description: 'Its name says that it holds a secret: no content is shown.' }),
  size_before: nullable(Type.Integer()),
  size_after: nullable(Type.Integer()),
  sha256_before: digest,
  sha256_after: digest,
  diff: Type.String({ description: 'In the form of `diff -u`; empty when there is none.' }),
  diff_truncated: Type.Boolean(),
  diff_unavailable_reason: nullable(oneOf(['binary', 'large', 'sensitive', 'truncated', 'symlink'])),
  additions: count,
  deletions: count,
  symlink: Type.Boolean(),
  symlink_target_before: linkTarget,
  symlink_target_after: linkTarget,
});
export type ChangedFile = Static<typeof changedFile>;

export const workspaceChanges = Type.Object({
  available: Type.Boolean({ description: 'False when the run has changed no file.' }),
  version: Type.Integer(),
  summary: Type.Object({
    created: count,
    modified: count,
    deleted: count,
    symlink_created: count,
    additions: count,
    deletions: count,
    truncated: Type.Boolean({ description: 'More may have changed than is listed.' }),
  }),
  files: Type.Array(changedFile, { description: 'By their paths, at most 200.' }),
  limits: openRecord(),
});
export type WorkspaceChanges = Static<typeof workspaceChanges>;

const flag = Type.Optional(oneOf(['true', 'false', '1', '0']));

export const getWorkspaceChanges = {
  method: 'GET',
  url: '/api/threads/:thread_id/runs/:run_id/workspace-changes',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'What a run changed in the files of its thread',
    description:
      'Files that the tools of a run of the lead agent have written: each as it was before its first change, against the end of the run.',
    tags: ['Turns'],
    params: runParams,
    querystring: Type.Object({ include_files: flag, include_diff: flag }, { additionalProperties: false }),
    response: { 200: workspaceChanges },
  },
} as const satisfies Endpoint;
