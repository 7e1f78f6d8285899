import type { Client } from '@switchyard/client/client';
import type { PushMessage } from '@switchyard/client/push/push-message';
import { getOverview } from '@switchyard/contract/dispatch/monitor';
import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { getTask } from '@switchyard/contract/dispatch/tasks';
import { followTasks } from './follow-tasks.ts';
import { withInterrupts } from './interrupts.ts';
import { printJson } from './output.ts';
import { plainText } from './plain-text.ts';
import { progressView } from './progress-view.ts';
import { taskFailure } from './task-failure.ts';
import type { Terminal } from './terminal.ts';

interface Watching {
  client: Client;
  asJson: boolean;
}

/** Follows tasks until all have ended. Ends as failed when one of them failed. */
export async function watchTasks(
  ids: string[],
  { client, asJson }: Watching,
  terminal: Terminal,
): Promise<void> {
  const view = progressView(terminal.stderr, terminal.env);
  const ended: TaskDetail[] = [];
  await withInterrupts(async (signal) => {
    const tasks: TaskDetail[] = [];
    for (const taskId of ids) tasks.push(await client.call(getTask, { params: { taskId }, signal }));
    await followTasks(tasks, {
      client,
      signal,
      onChange: (changed, states) => view.show(changed, states),
      onEnd: async (task) => void ended.push(task),
    }).finally(() => view.clear());
  });
  if (asJson) printJson(terminal, ended);
  const failure = taskFailure(ended);
  if (failure) throw failure;
}

/** Shows everything that the account may see, until Ctrl-C. */
export async function watchEvents({ client, asJson }: Watching, { stdout }: Terminal): Promise<void> {
  await withInterrupts(async (signal) => {
    // A wrong address or token is reported at once. Only later breaks of the connection are waited out.
    await client.call(getOverview, { signal });
    for await (const message of client.push.connect({ signal })) {
      const line = asJson ? JSON.stringify(message) : lineFor(message);
      if (line !== null) stdout.write(`${line}\n`);
    }
  });
}

/** Returns null for a message that another line already covers. */
function lineFor(message: PushMessage): string | null {
  const words = wordsFor(message);
  if (words === null) return null;
  const at = 'timestamp' in message ? message.timestamp : Date.now();
  return plainText(`${new Date(at).toISOString()}  ${words}`);
}

function wordsFor(message: PushMessage): string | null {
  switch (message.type) {
    case 'global_status': {
      const { pending, running, completed, failed } = message.data.tasks;
      const paused = message.data.paused ? ', the queue is paused' : '';
      return `tasks     ${pending} pending, ${running} running, ${completed} completed, ${failed} failed${paused}`;
    }
    case 'instance_status': {
      const { id, state, lastError } = message.data.instance;
      return `instance  ${id}  ${state}${lastError ? `  ${lastError}` : ''}`;
    }
    case 'task_created':
      return `task      ${message.data.taskId}  created  ${message.data.task.name ?? ''}`;
    case 'task_started':
      return `task      ${message.data.taskId}  started on ${message.data.instanceId}`;
    case 'task_progress':
      return `task      ${message.data.taskId}  ${message.data.progress}%  ${message.data.node ?? ''}`;
    case 'task_stopping':
      return `task      ${message.data.taskId}  asked to stop`;
    case 'task_completed':
      return `task      ${message.data.taskId}  completed`;
    case 'task_failed':
      return `task      ${message.data.taskId}  failed: ${message.data.error.message}`;
    case 'task_moved':
      return `task      ${message.data.taskId}  moved to the front`;
    case 'queue_changed': {
      const { change, pause } = message.data;
      const what = pause.scope === 'all' ? 'the whole queue' : `${pause.scope} ${pause.target}`;
      return `queue     ${what}  ${change}${pause.reason ? `  ${pause.reason}` : ''}`;
    }
    case 'disconnected':
      return `(${message.data.reason} Trying again in ${Math.ceil(message.data.retryInMs / 1_000)} s.)`;
    default:
      return null;
  }
}
