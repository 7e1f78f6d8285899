import { listAnswers } from '@switchyard/contract/conversation/answers';
import { compactThread } from '@switchyard/contract/conversation/compaction';
import { branchThread, prepareEdit, prepareRegenerate } from '@switchyard/contract/conversation/turns';
import { getWorkspaceChanges } from '@switchyard/contract/conversation/workspace-changes';
import { ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { Owner } from '../../lib/owner.ts';
import { noChanges, recordedChanges } from '../file-changes/recorded-changes.ts';
import type { Journal } from '../journal/journal.ts';
import type { Runs } from '../runs/runs.ts';
import type { AnswerVersions } from './answer-versions.ts';
import type { Branches } from './branches.ts';
import type { Compactions } from './compactions.ts';
import type { Replays } from './replays.ts';

export function turnRoutes(options: {
  replays: Replays;
  branches: Branches;
  compactions: Compactions;
  answers: AnswerVersions;
  runs: Pick<Runs, 'find' | 'look'>;
  journal: Pick<Journal, 'events'>;
}): Routes {
  const { replays, branches, compactions, answers, runs, journal } = options;
  /** A branch has the messages of turns that ran in the thread that it comes from. */
  const isCopied = async (owner: Owner, name: { threadId: string; runId: string }): Promise<boolean> => {
    if (await runs.look(owner, name)) return false;
    return (await journal.events(owner, { ...name, limit: 1 })).length > 0;
  };
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
      ...listAnswers,
      handler: async (request) => answers.list(ownerOf(request), request.params.thread_id),
    });

    app.route({
      ...branchThread,
      handler: async (request) => branches.create(ownerOf(request), request.params.thread_id, request.body),
    });

    app.route({
      ...compactThread,
      handler: async (request) =>
        compactions.compact(ownerOf(request), request.params.thread_id, request.body),
    });
    app.route({
      ...getWorkspaceChanges,
      handler: async (request) => {
        const owner = ownerOf(request);
        const { thread_id: threadId, run_id: runId } = request.params;
        const { include_files: files, include_diff: diffs } = request.query;
        if (await isCopied(owner, { threadId, runId })) return noChanges;
        await runs.find(owner, { threadId, runId });
        const wanted = { withFiles: isOn(files), withDiffs: isOn(diffs) };
        return recordedChanges(journal, owner, { threadId, runId, ...wanted });
      },
    });
  };
}

/** A flag that is on unless the query switches it off. */
function isOn(flag: string | undefined): boolean {
  return flag === undefined || flag === 'true' || flag === '1';
}
