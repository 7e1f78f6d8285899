import {
  branchThread,
  getWorkspaceChanges,
  prepareEdit,
  prepareRegenerate,
  type WorkspaceChanges,
} from '@switchyard/contract/conversation/turns';
import { ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { Runs } from '../runs/runs.ts';
import type { Branches } from './branches.ts';
import type { Replays } from './replays.ts';

interface TurnRoutesOptions {
  replays: Replays;
  branches: Branches;
  runs: Pick<Runs, 'find'>;
}

const noChanges: WorkspaceChanges = {
  available: false,
  version: 1,
  summary: {
    created: 0,
    modified: 0,
    deleted: 0,
    symlink_created: 0,
    additions: 0,
    deletions: 0,
    truncated: false,
  },
  files: [],
  limits: {},
};

export function turnRoutes({ replays, branches, runs }: TurnRoutesOptions): Routes {
  return (app) => {
    app.route({
      ...prepareRegenerate,
      handler: async (request) =>
        replays.regenerate(ownerOf(request), request.params.thread_id, request.body.message_id),
    });

    app.route({
      ...prepareEdit,
      handler: async (request) => {
        const { human_message_id: messageId, replacement_text: text } = request.body;
        return replays.edit(ownerOf(request), request.params.thread_id, { messageId, text });
      },
    });

    app.route({
      ...branchThread,
      handler: async (request) => branches.create(ownerOf(request), request.params.thread_id, request.body),
    });

    app.route({
      ...getWorkspaceChanges,
      handler: async (request) => {
        const { thread_id: threadId, run_id: runId } = request.params;
        await runs.find(ownerOf(request), { threadId, runId });
        return noChanges;
      },
    });
  };
}
