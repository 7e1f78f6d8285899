import { markThreadRead } from '@switchyard/contract/conversation/read-threads';
import type { Run } from '@switchyard/contract/conversation/run';
import type { ThreadMessage } from '@switchyard/contract/conversation/run-events';
import type { Thread, ThreadState } from '@switchyard/contract/conversation/thread';
import { isRecord } from '@switchyard/contract/is-record';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { leadAgent } from '../../lib/data/assistants.ts';
import { tasksOfThreadQuery } from '../../lib/data/tasks.ts';
import {
  threadAnswersQuery,
  threadMessagesQuery,
  threadQuery,
  threadRunsQuery,
  threadStateQuery,
} from '../../lib/data/threads.ts';
import { gateway } from '../../lib/gateway.ts';
import type { LiveInterrupt } from '../../lib/live/run-news.ts';
import { useRunStream } from '../../lib/live/use-run-stream.ts';
import { copiedMessages, knowsWhatWasCopied } from './model/copied-messages.ts';
import { turnsOf } from './model/turns.ts';
import { lastVersions, olderVersion } from './model/versions.ts';
import { sentMessageQuery } from './use-send.ts';

export type Conversing = ReturnType<typeof useConversation>;

/** A thread with its stored messages and the stream of its run. An older version is read as it is stored. */
export function useConversation(threadId: string, wanted: string | null) {
  const answers = useQuery(threadAnswersQuery(threadId));
  const version = olderVersion(answers.data, wanted);
  const isKnown = wanted === null || !answers.isPending;
  const sent = useQuery(sentMessageQuery(threadId)).data ?? null;
  const thread = useQuery(threadQuery(threadId));
  // Until another version is here, the page stays as it is, so that nothing loses its place or its focus.
  const state = useQuery({
    ...threadStateQuery(threadId, version?.checkpoint_id),
    enabled: isKnown && version?.checkpoint_id !== null,
    placeholderData: keepPreviousData,
  });
  const messages = useInfiniteQuery({
    ...threadMessagesQuery(threadId, version?.run_id),
    enabled: isKnown,
    placeholderData: keepPreviousData,
  });
  const runs = useQuery(threadRunsQuery(threadId));
  const tasks = useQuery(tasksOfThreadQuery(threadId, thread.data?.created_at));
  const openRun = openRunOf((runs.data ?? []) as Run[]);
  const followed = useFollowed(threadId, openRun?.run_id ?? null);
  const news = useRunStream(threadId, followed);
  const said = useMemo(
    () => (messages.data?.pages ?? []).toReversed().flatMap(({ data }) => data),
    [messages.data],
  );
  const isRunning = openRun !== null;
  // Right after a run the record may still hold the questions that the run began with.
  const isAsked = !isRunning && version === null && thread.data?.status === 'interrupted';
  // The state of a graph that takes no messages is shown as it is, with a turn for each run.
  const isTalk = takesTalk(thread.data);
  const hasAll = messages.data !== undefined && !messages.hasNextPage;
  const copied = useCopied(hasAll ? state.data : undefined, said);
  const stored = useMemo(() => (hasAll ? [...copied, ...said] : said), [hasAll, copied, said]);
  const turns = useMemo(
    () =>
      lastVersions(
        answers.data,
        turnsOf({
          stored,
          runs: (runs.data ?? []) as Run[],
          tasks: tasks.data?.items ?? [],
          live: followed === null || version ? null : { runId: followed, news },
          sent: version ? null : sent,
          isAsked,
          isTalk,
        }),
      ),
    [stored, runs.data, tasks.data, followed, news, sent, version, isAsked, isTalk, answers.data],
  );
  useReadMark(threadId, thread.data?.run_ended_at ?? null, thread.data?.unread ?? false);
  const interrupts = isAsked ? storedInterrupts(thread.data?.interrupts) : [];
  // While a run is streamed, the state in its stream is newer.
  const isNewer = version === null && news.phase !== 'connecting';
  const values = { ...state.data?.values, ...(isNewer && news.values) };
  return {
    thread,
    messages,
    answers,
    version,
    turns,
    news,
    openRun,
    lastRun: runs.data?.[0] as Run | undefined,
    isRunning,
    isTalk,
    isAsked,
    interrupts,
    next: isAsked ? (state.data?.next ?? []) : [],
    values,
  };
}

/** A thread without a state may become a conversation; a graph's own state shows whether it has become one. */
function takesTalk(thread: Thread | undefined): boolean {
  const graphId = thread?.metadata.graph_id ?? leadAgent;
  const values = thread?.values ?? {};
  if (graphId === leadAgent || Object.keys(values).length === 0) return true;
  return Array.isArray(values.messages) && values.messages.some(isRecord);
}

/** The run at work, or the first that waits for its turn. */
function openRunOf(runs: readonly Run[]): Run | null {
  return (
    runs.find(({ status }) => status === 'running') ??
    runs.findLast(({ status }) => status === 'pending') ??
    null
  );
}

/** The last run that was open: its messages stay on the page until the stored messages have it. */
function useFollowed(threadId: string, openRunId: string | null): string | null {
  const [followed, setFollowed] = useState({ threadId, runId: openRunId });
  const isOther = followed.threadId !== threadId || (openRunId !== null && followed.runId !== openRunId);
  if (isOther) setFollowed({ threadId, runId: openRunId });
  return isOther ? openRunId : followed.runId;
}

/**
 * Returns the messages that a branch has copied. They never change, so they are kept once they are certain: while
 * another version of the first answer begins, the state and the messages may be of different versions.
 */
function useCopied(state: ThreadState | undefined, said: readonly ThreadMessage[]): readonly ThreadMessage[] {
  const [known, setKnown] = useState<readonly ThreadMessage[] | null>(null);
  const copied = useMemo(() => (state ? copiedMessages(state, said) : []), [state, said]);
  if (known !== null) return known;
  if (state && knowsWhatWasCopied(state, said)) setKnown(copied);
  return copied;
}

/** A thread that somebody looks at is read; a tab in the background is not looked at. */
function useReadMark(threadId: string, endedAt: string | null, isUnread: boolean): void {
  useEffect(() => {
    if (!isUnread || endedAt === null) return;
    const mark = () => {
      if (document.hidden) return;
      const call = gateway.call(markThreadRead, {
        params: { thread_id: threadId },
        body: { run_ended_at: endedAt },
      });
      // The mark is a convenience: the next look at the thread sets it.
      call.catch(() => undefined);
    };
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [threadId, endedAt, isUnread]);
}

function storedInterrupts(byTask: Record<string, LiveInterrupt[]> | undefined): LiveInterrupt[] {
  return Object.values(byTask ?? {}).flat();
}
