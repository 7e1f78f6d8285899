import type { Client } from '@switchyard/client/client';
import { ApiError, ConnectionError } from '@switchyard/client/errors';
import type { Task, TaskDetail } from '@switchyard/contract/dispatch/task';
import { getTask } from '@switchyard/contract/dispatch/tasks';
import { sleepWithSignal } from '@switchyard/server/lib/async/sleep-with-signal';
import { hasEnded, TaskBoard, type TaskState } from './task-board.ts';

interface FollowOptions {
  client: Pick<Client, 'call' | 'push'>;
  signal: AbortSignal;
  onChange: (changed: TaskState, states: readonly TaskState[]) => void;
  /** As soon as it is known that a task has ended, one after the other. */
  onEnd: (task: TaskDetail) => Promise<void>;
}

/** Of one request; the gateway holds it until the task ends. */
const waitSeconds = 30;
const answerGraceMs = 15_000;
/** How long a gateway may be away: it restarts, or the network has a bad moment. */
const tries = 30;
const betweenTriesMs = 2_000;

/**
 * Waits until all tasks have ended. That is asked for, task by task; live messages only show how far they are, so nothing
 * is missed where they cannot come through.
 */
export async function followTasks(tasks: readonly Task[], options: FollowOptions): Promise<void> {
  const { client, signal, onChange, onEnd } = options;
  const board = new TaskBoard(tasks, (changed) => onChange(changed, board.states));
  for (const state of board.states.slice(0, 1)) onChange(state, board.states);
  const following = new AbortController();
  const stop = (): void => following.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const messages = showProgress(board, client, following.signal);
  try {
    for (const { id } of tasks) {
      const ended = await untilEnded(client, id, { signal, onTask: (task) => board.put(task) });
      await onEnd(ended);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    following.abort();
    await messages;
  }
}

async function showProgress(
  board: TaskBoard,
  { push }: Pick<Client, 'push'>,
  signal: AbortSignal,
): Promise<void> {
  const taskIds = board.states.map(({ id }) => id);
  try {
    for await (const message of push.connect({ topics: ['tasks', 'progress'], taskIds, signal })) {
      board.hear(message);
    }
  } catch {
    // The followed tasks have ended, or the messages cannot come through; either way there is nothing more to show.
  }
}

interface WaitOptions {
  signal: AbortSignal;
  onTask?: (task: TaskDetail) => void;
}

/** The task when it has ended. A gateway that is away for a while is asked again. */
export async function untilEnded(
  { call }: Pick<Client, 'call'>,
  taskId: string,
  { signal, onTask }: WaitOptions,
): Promise<TaskDetail> {
  for (let failures = 0; ; ) {
    try {
      const task = await call(getTask, {
        params: { taskId },
        query: { wait: waitSeconds },
        timeoutMs: waitSeconds * 1_000 + answerGraceMs,
        signal,
      });
      failures = 0;
      onTask?.(task);
      if (hasEnded(task)) return task;
    } catch (error) {
      failures += 1;
      if (!mayPass(error) || failures >= tries) throw error;
      await sleepWithSignal(betweenTriesMs, { signal });
    }
  }
}

/** A gateway that restarts refuses connections, breaks them, or says that it has no time. */
function mayPass(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.fault !== 'not_understood';
  return error instanceof ApiError && (error.status === 503 || error.status === 429 || error.status === 502);
}
