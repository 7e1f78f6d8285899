import type { AnswerOf } from '@switchyard/client/endpoint-types';
import type { listConsoleRuns } from '@switchyard/contract/conversation/console';
import type { listUnreadThreads } from '@switchyard/contract/conversation/read-threads';
import type { searchThreads } from '@switchyard/contract/conversation/threads';
import type { listInstances } from '@switchyard/contract/dispatch/instance';
import type { getOverview } from '@switchyard/contract/dispatch/monitor';
import type { getQueue } from '@switchyard/contract/dispatch/queue';
import type { listTasks } from '@switchyard/contract/dispatch/tasks';
import type { getHealth } from '@switchyard/contract/meta';
import { plainText } from './plain-text.ts';

type Tasks = AnswerOf<typeof listTasks>;
type Task = Tasks['items'][number];
/** The answers that `switchyard status` shows. An area that is switched off, or that the token does not open, is null. */
export interface Status {
  url: string;
  health: AnswerOf<typeof getHealth>;
  pool: {
    overview: AnswerOf<typeof getOverview>;
    instances: AnswerOf<typeof listInstances>;
    queue: AnswerOf<typeof getQueue>;
    /** The newest of each. */
    running: Tasks;
    waiting: Tasks;
  } | null;
  conversations: {
    /** At work or waiting, the newest. */
    runs: AnswerOf<typeof listConsoleRuns>['runs'];
    /** Threads that wait for a human. */
    asking: AnswerOf<typeof searchThreads>;
    unread: AnswerOf<typeof listUnreadThreads>;
  } | null;
}

/** One screen: is it well, what runs, what waits, and why. */
export function describeStatus({ url, health, pool, conversations }: Status): string {
  const lines = [
    aboutHealth(url, health),
    ...(pool ? aboutPool(pool) : ['Tasks are not served here, or not to this token.']),
    ...(conversations
      ? aboutConversations(conversations)
      : ['Conversations are not served here, or not to this token.']),
  ];
  return lines.map((line) => `${plainText(line).replace(/^\s{2,}/, '  ')}\n`).join('');
}

function aboutHealth(url: string, { status, database, storage, version }: Status['health']): string {
  if (status === 'ok') return `${url} is well${version ? ` (${version})` : ''}.`;
  const faults = [
    ...(database === 'connected' ? [] : ['the database does not answer']),
    ...(storage === 'ok' ? [] : [`the disk is ${storage}`]),
  ];
  return `${url} is NOT well: ${faults.join(', ') || 'a part of it does not answer'}.`;
}

function aboutPool({ overview, instances, queue, running, waiting }: NonNullable<Status['pool']>): string[] {
  const { aliveInstances: alive, totalInstances: all, busyInstances: busy } = overview;
  const away = instances.filter(({ alive: isAlive, enabled }) => enabled && !isAlive);
  return [
    `Workers: ${alive} of ${all} answer, ${busy} busy.`,
    ...away.map(({ id, lastError }) => `  ${id} does not answer${lastError ? `: ${lastError}` : ''}`),
    ...queue.pauses.map(
      ({ scope, target, since, reason }) =>
        `  ${subjectOf(scope, target)} paused since ${since}${reason ? `: ${reason}` : ''}`,
    ),
    `Tasks: ${running.total} running, ${waiting.total} waiting.`,
    ...running.items.map(
      (task) => `  ${task.id}  ${task.progress} %  on ${task.instanceId ?? '?'}${nameOf(task)}`,
    ),
    ...waiting.items.map((task) => `  ${task.id}  ${task.waiting ?? 'waits'}${nameOf(task)}`),
  ];
}

function aboutConversations({ runs, asking, unread }: NonNullable<Status['conversations']>): string[] {
  return [
    `Runs: ${runs.length} at work or waiting. Threads: ${unread.total} unread.`,
    ...runs.map(({ run_id: id, thread_title: title, status }) => `  ${id}  ${status}  ${title ?? ''}`),
    ...asking.map(({ thread_id: id, values }) => `  thread ${id} waits for your answer  ${titleOf(values)}`),
  ];
}

function subjectOf(scope: string, target: string | null): string {
  if (scope === 'all') return 'The queue is';
  return scope === 'pool' ? `The pool ${target} is` : `The tasks of user ${target} are`;
}

function nameOf({ name }: Task): string {
  return name === null ? '' : `  ${name}`;
}

function titleOf(values: Record<string, unknown> | undefined): string {
  return typeof values?.title === 'string' ? values.title : '';
}
