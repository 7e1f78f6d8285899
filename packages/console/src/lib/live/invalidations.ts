import type { ShareKind } from '@switchyard/contract/dispatch/share';
import type { QueryKey } from '@tanstack/react-query';
import { keys } from '../data/keys.ts';
import type { News } from './news.ts';

/** Returns the keys of queries that the news make out of date and that cannot be changed in place. */
export function outdatedKeys(news: News): QueryKey[] {
  const outdated: QueryKey[] = [];
  for (const taskId of news.changedTasks) outdated.push(keys.task(taskId));
  if (news.newTasks.length > 0 || news.changedTasks.size > 0) outdated.push(keys.overview);
  if (news.instances.size > 0) outdated.push(keys.overview);
  if (news.queueChanged) outdated.push(keys.overview, keys.queue, keys.taskLists, keys.taskPages);
  for (const sweepId of news.changedSweeps) outdated.push(keys.sweep(sweepId), keys.sweepCells(sweepId));
  outdated.push(...outdatedFiles(news));
  for (const threadId of new Set(news.newTasks.flatMap(({ conversation }) => conversation?.threadId ?? []))) {
    outdated.push(keys.tasksOfThread(threadId));
  }
  for (const { threadId, runId, status } of news.runs.values()) {
    outdated.push(keys.run(threadId, runId));
    const isKnown = status === 'running' && !news.acceptedRuns.has(runId);
    if (!isKnown) outdated.push(keys.thread(threadId), keys.runPages, keys.threadPages);
    if (hasEnded(status)) outdated.push(keys.usage);
  }
  if (news.unread.size > 0) outdated.push(keys.unreadThreads);
  return once(outdated);
}

/** Marks of files are changed in place; what lists and counts them is read again. */
function outdatedFiles({ markedFiles, changedCollections, changedShares }: News): QueryKey[] {
  const marks = markedFiles.size > 0 ? [keys.starred, keys.fileTags] : [];
  const collections = [...changedCollections].flatMap((id) => [keys.collections, keys.filesOf(id)]);
  const ofShare: Record<ShareKind, (id: string) => QueryKey[]> = {
    workflow: () => [keys.workflows],
    collection: (id) => [keys.collections, keys.filesOf(id)],
    file: (id) => [keys.file(id)],
  };
  const shares = changedShares.flatMap(({ kind, subjectId }) => [keys.shares, ...ofShare[kind](subjectId)]);
  return [...marks, ...collections, ...shares];
}

function hasEnded(status: string): boolean {
  return status !== 'pending' && status !== 'running';
}

function once(outdated: readonly QueryKey[]): QueryKey[] {
  return [...new Map(outdated.map((key) => [JSON.stringify(key), key])).values()];
}
