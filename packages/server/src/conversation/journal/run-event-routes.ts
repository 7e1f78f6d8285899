import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import {
  getThreadTokenUsage,
  listMessagesOfRun,
  listRunEvents,
  listRunMessages,
  listThreadMessages,
  pageThreadMessages,
} from '@switchyard/contract/conversation/run-events';
import { ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import type { ThreadRow } from '../tables.ts';
import type { PageBounds } from './event-storage.ts';
import type { Journal } from './journal.ts';
import { runNotFound } from './run-not-found.ts';
import type { ThreadMessages } from './thread-messages.ts';
import type { ThreadTokens } from './thread-tokens.ts';

export interface RunEventRoutesOptions {
  journal: Journal;
  messages: ThreadMessages;
  tokens: ThreadTokens;
  /** Throws `thread_not_found` for a thread that the caller may not read. */
  requireThread: (owner: Owner, threadId: string) => Promise<ThreadRow | null>;
  /** The thread of one of the caller's runs; undefined when there is no such run. */
  threadOfRun: (owner: Owner, runId: string) => Promise<string | undefined>;
}

const messagesPerPage = 50;
const eventsPerPage = 500;

export function runEventRoutes(mount: Mount, options: RunEventRoutesOptions): Routes {
  const { journal, messages, tokens, requireThread } = options;
  return (app) => {
    app.route({
      ...at(mount, listThreadMessages),
      handler: async (request) => {
        const owner = ownerOf(request);
        const { thread_id: threadId } = request.params;
        await requireThread(owner, threadId);
        return messages.ofThread(owner, threadId, boundsOf(request.query));
      },
    });

    app.route({
      ...at(mount, pageThreadMessages),
      handler: async (request) => {
        const owner = ownerOf(request);
        const { thread_id: threadId } = request.params;
        refuseForward(request.query.after_seq);
        await requireThread(owner, threadId);
        const { run_id: runId } = request.query;
        return messages.shown(owner, threadId, { ...boundsOf(request.query), runId });
      },
    });

    app.route({
      ...at(mount, listRunMessages),
      handler: async (request) => {
        const owner = ownerOf(request);
        const run = await runOfThread(options, owner, request.params);
        return run ? messages.ofRun(owner, run, boundsOf(request.query)) : { data: [], has_more: false };
      },
    });

    app.route({
      ...at(mount, listMessagesOfRun),
      handler: async (request) => {
        const owner = ownerOf(request);
        const run = await findRun(options, owner, request.params.run_id);
        return messages.ofRun(owner, run, boundsOf(request.query));
      },
    });

    app.route({
      ...at(mount, listRunEvents),
      handler: async (request) => {
        const owner = ownerOf(request);
        const { event_types: types, task_id: taskId, limit = eventsPerPage, after_seq = 0 } = request.query;
        const run = await runOfThread(options, owner, request.params);
        if (!run) return [];
        return journal.events(owner, { ...run, types: listOf(types), taskId, limit, afterSeq: after_seq });
      },
    });

    app.route({
      ...at(mount, getThreadTokenUsage),
      handler: async (request) => {
        const owner = ownerOf(request);
        const { thread_id: threadId } = request.params;
        await requireThread(owner, threadId);
        const includeActive = request.query.include_active === 'true' || request.query.include_active === '1';
        return tokens.usage(owner, threadId, { includeActive });
      },
    });
  };
}

interface Run {
  threadId: string;
  runId: string;
}

/** A run of this thread that the caller may read; null when there is no such thread, so that its lists are empty. */
async function runOfThread(
  options: RunEventRoutesOptions,
  owner: Owner,
  { thread_id, run_id }: { thread_id: string; run_id: string },
): Promise<Run | null> {
  const thread = await options.requireThread(owner, thread_id);
  const threadId = await options.threadOfRun(owner, run_id);
  if (threadId === thread_id) return { threadId, runId: run_id };
  if (thread) throw runNotFound(run_id);
  return null;
}

/** Only the owner of the run decides: the thread may belong to someone else who shares it. */
async function findRun({ threadOfRun }: RunEventRoutesOptions, owner: Owner, runId: string): Promise<Run> {
  const threadId = await threadOfRun(owner, runId);
  if (threadId === undefined) throw runNotFound(runId);
  return { threadId, runId };
}

function boundsOf(query: {
  limit?: number | undefined;
  before_seq?: number | undefined;
  after_seq?: number | undefined;
}): PageBounds {
  const { limit = messagesPerPage, before_seq: beforeSeq, after_seq: afterSeq } = query;
  return { limit, beforeSeq, afterSeq };
}

function refuseForward(afterSeq: number | undefined): void {
  if (afterSeq === undefined) return;
  const message = 'Pages go backwards only. Use before_seq, or list messages with after_seq.';
  throw new AppError('validation_failed', {
    message,
    faults: [{ in: 'query', path: ['after_seq'], type: 'value_error', message, input: afterSeq }],
  });
}

/** Undefined when the query names nothing. */
function listOf(text = ''): string[] | undefined {
  const names = text.split(',').map((name) => name.trim());
  const given = names.filter((name) => name !== '');
  return given.length > 0 ? given : undefined;
}
