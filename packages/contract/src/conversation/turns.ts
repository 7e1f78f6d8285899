import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { nullable, oneOf } from '../shapes.ts';
import { threadId, threadParams } from './ids.ts';
import { openRecord } from './thread.ts';

const tags = ['Turns'];
const messageId = Type.String({ minLength: 1, maxLength: 256 });

/** The values with which the client starts its next run. */
const replay = {
  input: openRecord({ description: 'The message of the user, and the title that the thread has now.' }),
  checkpoint: Type.Object({
    checkpoint_ns: Type.String(),
    checkpoint_id: Type.String(),
    checkpoint_map: Type.Null(),
  }),
  metadata: openRecord({ description: 'Marks the run as one that replaces another.' }),
  target_run_id: Type.String({ description: 'The run that is replaced.' }),
};

export const preparedReplay = Type.Object(replay);
export type PreparedReplay = Static<typeof preparedReplay>;

export const preparedEdit = Type.Object({
  ...replay,
  replacement_human_message_id: Type.String(),
  source_message_ids: Type.Array(Type.String(), {
    description: 'The messages of the turn that is replaced.',
  }),
});
export type PreparedEdit = Static<typeof preparedEdit>;

export const prepareRegenerate = {
  method: 'POST',
  url: '/api/threads/:thread_id/runs/regenerate/prepare',
  config: { access: 'conversation:write' },
  schema: {
    summary: 'What makes the latest answer again',
    description:
      'Changes nothing: start a run with the `input`, `checkpoint` and `metadata` of the answer. 409 for an answer that is not the latest one.',
    tags,
    params: threadParams,
    body: Type.Object({ message_id: messageId }, { additionalProperties: false }),
    response: { 200: preparedReplay },
  },
} as const satisfies Endpoint;

export const prepareEdit = {
  method: 'POST',
  url: '/api/threads/:thread_id/runs/edit-regenerate/prepare',
  config: { access: 'conversation:write', bodyLimit: 'large' },
  schema: {
    summary: 'What asks the latest question in other words',
    description:
      'Changes nothing, as for an answer that is made again. 409 for a question that is not the latest one or has no finished answer.',
    tags,
    params: threadParams,
    body: Type.Object(
      { human_message_id: messageId, replacement_text: Type.String({ maxLength: 200_000 }) },
      { additionalProperties: false },
    ),
    response: { 200: preparedEdit },
  },
} as const satisfies Endpoint;

export const branchBody = Type.Object(
  {
    message_id: messageId,
    message_ids: Type.Optional(
      Type.Array(messageId, { maxItems: 1000, description: 'All answers of the turn.' }),
    ),
    title: Type.Optional(nullable(Type.String({ maxLength: 256 }))),
    run_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description:
          'A run of the conversation that has the answer, as `answers` names it, for an answer of an older version; the newest conversation unless it is given.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type BranchBody = Static<typeof branchBody>;

export const threadBranch = Type.Object({
  thread_id: threadId,
  parent_thread_id: threadId,
  parent_checkpoint_id: Type.String(),
  branched_from_message_id: Type.String(),
  workspace_clone_mode: oneOf([
    'current_thread_best_effort',
    'not_found',
    'failed',
    'skipped_historical_turn',
  ]),
  history_seed_mode: oneOf(['seeded', 'skipped_empty', 'failed']),
});
export type ThreadBranch = Static<typeof threadBranch>;

export const branchThread = {
  method: 'POST',
  url: '/api/threads/:thread_id/branches',
  config: { access: 'conversation:write' },
  schema: {
    summary: 'Make a thread that goes on from an answer of this one',
    description:
      'The branch has the states and the shown messages up to that answer. Files are copied when it is the latest answer, up to 512 MB.',
    tags,
    params: threadParams,
    body: branchBody,
    response: { 200: threadBranch },
  },
} as const satisfies Endpoint;
