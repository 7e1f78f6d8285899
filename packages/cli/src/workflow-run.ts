import { join, resolve } from 'node:path';
import type { Client } from '@switchyard/client/client';
import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { cancelTask, type NewTask, submitTask } from '@switchyard/contract/dispatch/tasks';
import { followTasks, untilEnded } from './follow-tasks.ts';
import { requireFile, uploadLocalFile } from './local-file.ts';
import { progressView } from './progress-view.ts';
import { type GivenParam, parseParams } from './run-params.ts';
import { saveFile } from './save-file.ts';
import { hasEnded } from './task-board.ts';
import type { Terminal } from './terminal.ts';

/** The values that the steps of `switchyard run` share. */
export interface RunContext {
  client: Client;
  terminal: Terminal;
  signal: AbortSignal;
}

export interface EndedTask {
  task: TaskDetail;
  /** The folder as the user wrote it. */
  savedFiles: string[];
}

/** The command waits this long for workers to stop. After that the gateway goes on stopping them. */
const cancelGraceMs = 30_000;

/** The params of the command line. Throws when a file that they name is not there. */
export function readParams(texts: readonly string[] = [], { cwd }: Terminal): Map<string, GivenParam> {
  const params = parseParams(texts);
  for (const param of params.values()) if ('path' in param) requireFile(resolve(cwd, param.path));
  return params;
}

/** The params in the form of the gateway. A file that is named twice is sent once. */
export async function uploadParams(
  given: ReadonlyMap<string, GivenParam>,
  { client, terminal, signal }: RunContext,
): Promise<Record<string, unknown>> {
  const fileIds = new Map<string, string>();
  const params: Record<string, unknown> = {};
  for (const [name, param] of given) {
    if ('value' in param) {
      params[name] = param.value;
      continue;
    }
    const path = resolve(terminal.cwd, param.path);
    const fileId = fileIds.get(path) ?? (await uploadLocalFile(client, path, signal)).fileId;
    fileIds.set(path, fileId);
    params[name] = { $file: fileId };
  }
  return params;
}

/**
 * Submits each task with a key of its own, so that a lost answer does not make a second task. A submission is never
 * aborted: a task whose id is not known cannot be cancelled.
 */
export async function submitTasks(
  body: NewTask,
  { count, onSubmitted }: { count: number; onSubmitted: (task: TaskDetail) => void },
  { client, signal }: RunContext,
): Promise<void> {
  for (let submitted = 0; submitted < count; submitted += 1) {
    signal.throwIfAborted();
    const headers = { 'idempotency-key': crypto.randomUUID() };
    onSubmitted(await client.call(submitTask, { body, headers }));
  }
}

/**
 * Waits until all tasks have ended and shows their progress. With a folder, the outputs of each task are saved when it
 * ends.
 */
export async function waitForTasks(
  tasks: readonly TaskDetail[],
  outputDir: string | undefined,
  context: RunContext,
): Promise<EndedTask[]> {
  const { client, signal, terminal } = context;
  const view = progressView(terminal.stderr, terminal.env);
  const ended: EndedTask[] = [];
  try {
    await followTasks(tasks, {
      client,
      signal,
      onChange: (changed, states) => view.show(changed, states),
      onEnd: async (task) => {
        const savedFiles = outputDir === undefined ? [] : await saveOutputs(task, outputDir, context);
        ended.push({ task, savedFiles });
      },
    });
    return ended;
  } finally {
    view.clear();
  }
}

async function saveOutputs(
  { result }: TaskDetail,
  outputDir: string,
  { client, terminal, signal }: RunContext,
): Promise<string[]> {
  const folder = resolve(terminal.cwd, outputDir);
  const saved: string[] = [];
  for (const { fileId, filename } of result?.outputs ?? []) {
    saved.push(join(outputDir, await saveFile(client, fileId, { folder, filename, signal })));
  }
  return saved;
}

/** A user who interrupts wants the workers to be free again, so this waits until they are. */
export async function cancelTasks(
  tasks: readonly TaskDetail[],
  { client, terminal }: Omit<RunContext, 'signal'>,
): Promise<void> {
  if (tasks.length === 0) return;
  const what = tasks.length === 1 ? 'the task' : `${tasks.length} tasks`;
  terminal.stderr.write(`Cancelling ${what}; once more to leave now.\n`);
  const signal = AbortSignal.timeout(cancelGraceMs);
  for (const { id: taskId } of tasks) {
    try {
      const task = await client.call(cancelTask, { params: { taskId }, signal });
      if (!hasEnded(task)) await untilEnded(client, taskId, { signal });
    } catch {
      // The task has ended, or the gateway is unreachable: there is nothing left to cancel from here.
    }
  }
}
