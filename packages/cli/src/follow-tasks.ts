import type { Client } from '@switchyard/client/client';
import { ApiError, ConnectionError } from '@switchyard/client/errors';
import type { Task, TaskDetail } from '@switchyard/contract/dispatch/task';
import { getTask } from '@switchyard/contract/dispatch/tasks';
import { sleepWithSignal } from '@switchyard/server/lib/async/sleep-with-signal';
import { hasEnded, TaskBoard, type TaskState } from './task-board.ts';

/** The gateway holds one request this long until the task ends. */
const waitSeconds = 30;
const answerGraceMs = 15_000;
/** A gateway may be unreachable for this number of tries, for example during a restart or a network failure. */
const tries = 30;
const betweenTriesMs = 2_000;

/**
 * Waits until all tasks have ended. This asks for each task. Live messages only show progress, so no end is missed when
 * they cannot get through.
 */
export async function followTasks(
  tasks: readonly Task[],
  options: {
    client: Pick<Client, 'call' | 'push'>;
    signal: AbortSignal;
    onChange: (changed: TaskState, states: readonly TaskState[]) => void;
    /** Called for one task after the other, as soon as it is known to have ended. */
    onEnd: (task: TaskDetail) => Promise<void>;
  },
): Promise<void> {
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
    // Either the followed tasks have ended or the messages cannot get through: there is nothing more to show.
  }
}

/** Returns the task when it has ended. Asks again while the gateway is unreachable for a short time. */
export async function untilEnded(
  { call }: Pick<Client, 'call'>,
  taskId: string,
  { signal, onTask }: { signal: AbortSignal; onTask?: (task: TaskDetail) => void },
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

/** A restarting gateway refuses connections, breaks them, or answers that it is not available. */
function mayPass(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.fault !== 'not_understood';
  return error instanceof ApiError && (error.status === 503 || error.status === 429 || error.status === 502);
}
