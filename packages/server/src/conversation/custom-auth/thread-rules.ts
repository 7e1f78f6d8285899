import {
  deleteFeedback,
  deleteOwnFeedback,
  feedbackStats,
  listFeedback,
  listRunFeedback,
  postFeedback,
  putFeedback,
} from '@switchyard/contract/conversation/feedback';
import {
  getThreadTokenUsage,
  listMessagesOfRun,
  listRunEvents,
  listRunMessages,
  listThreadMessages,
  pageThreadMessages,
} from '@switchyard/contract/conversation/run-events';
import { whyRun } from '@switchyard/contract/conversation/run-why';
import {
  copyThread,
  countThreads,
  createThread,
  deleteThread,
  getHistory,
  getState,
  getStateAt,
  getThread,
  patchState,
  patchThread,
  pruneThreads,
  readHistory,
  readStateAt,
  searchThreads,
  updateState,
} from '@switchyard/contract/conversation/threads';
import { getRunTimeline } from '@switchyard/contract/conversation/timeline';
import type { CustomCall } from '../../http/access/custom-calls.ts';
import {
  type AuthRule,
  bodyOf,
  metadataIn,
  narrowSearch,
  paramOf,
  type RuleOfEndpoint,
} from './asked-request.ts';
import { passes } from './auth-filter.ts';
import type { ThreadReach } from './thread-reach.ts';

/** Returns what the handlers are asked about threads, by endpoint. */
export function threadRules(reach: ThreadReach): RuleOfEndpoint[] {
  const { readThread, readThreadOfRun, updateThread } = reach;
  const reading = [
    getThread,
    getState,
    getStateAt,
    readStateAt,
    readHistory,
    getHistory,
    listFeedback,
    feedbackStats,
    listThreadMessages,
    pageThreadMessages,
    listRunMessages,
    listRunEvents,
    getThreadTokenUsage,
    getRunTimeline,
    whyRun,
  ];
  const updating = [updateState, putFeedback, postFeedback, deleteOwnFeedback, deleteFeedback];
  return [
    ...reading.map((endpoint) => [endpoint, readThread] as const),
    ...[listMessagesOfRun, listRunFeedback].map((endpoint) => [endpoint, readThreadOfRun] as const),
    ...updating.map((endpoint) => [endpoint, updateThread] as const),
    ...[patchThread, patchState].map((endpoint) => [endpoint, changeMetadata(reach)] as const),
    [createThread, create(reach)],
    [copyThread, copy(reach)],
    [deleteThread, remove(reach)],
    [pruneThreads, prune(reach)],
    [searchThreads, search({ headers: { 'x-pagination-total': '0' }, body: [] })],
    [countThreads, search({ headers: {}, body: 0 })],
  ];
}

/** The answer to a request for a thread that is there already reads it. */
function create({ requireThread, readNamed, metadataOf }: ThreadReach): AuthRule {
  return async (asked) => {
    const body = bodyOf(asked);
    const { thread_id, if_exists } = body;
    const value = { thread_id, if_exists, metadata: body.metadata ?? {} };
    const { filter, value: left } = await asked.ask('threads:create', value);
    body.metadata = metadataIn(left, 'threads:create');
    if (typeof thread_id !== 'string') return;
    await requireThread(asked, { threadId: thread_id, filter, mayBeNew: true });
    const mayRead = if_exists === 'do_nothing' && (await metadataOf(asked.call.owner, thread_id)) !== null;
    if (mayRead) await readNamed(asked, thread_id);
  };
}

/** A copy is read from one thread and makes another one. */
function copy({ readThread, metadataOf }: ThreadReach): AuthRule {
  return async (asked) => {
    await readThread(asked);
    const metadata = (await metadataOf(asked.call.owner, paramOf(asked, 'thread_id'))) ?? {};
    const { value } = await asked.ask('threads:create', { metadata });
    asked.call.metadata = metadataIn(value, 'threads:create');
  };
}

function changeMetadata({ requireThread }: ThreadReach): AuthRule {
  return async (asked) => {
    const body = bodyOf(asked);
    const threadId = paramOf(asked, 'thread_id');
    const value = { thread_id: threadId, metadata: body.metadata ?? {} };
    const { filter, value: left } = await asked.ask('threads:update', value);
    body.metadata = metadataIn(left, 'threads:update');
    await requireThread(asked, { threadId, filter });
  };
}

function remove({ requireThread }: ThreadReach): AuthRule {
  return async (asked) => {
    const threadId = paramOf(asked, 'thread_id');
    const { filter } = await asked.ask('threads:delete', { thread_id: threadId });
    await requireThread(asked, { threadId, filter });
  };
}

/** Threads that the filter hides are left out, as unknown ones are. */
function prune({ metadataOf }: ThreadReach): AuthRule {
  return async (asked) => {
    const body = bodyOf(asked);
    const left: string[] = [];
    for (const threadId of new Set(body.thread_ids as string[])) {
      const { filter } = await asked.ask('threads:delete', { thread_id: threadId });
      if (!filter || passes(await metadataOf(asked.call.owner, threadId), filter)) left.push(threadId);
    }
    body.thread_ids = left;
  };
}

function search(nothing: NonNullable<CustomCall['answer']>): AuthRule {
  return async (asked) => {
    const { ids, status, metadata, values, limit, offset } = bodyOf(asked);
    const value = { ids, status, metadata: metadata ?? {}, values, limit, offset };
    const { filter } = await asked.ask('threads:search', value);
    narrowSearch(asked, filter, nothing);
  };
}
