import { join, resolve } from 'node:path';
import type { Client } from '@switchyard/client/client';
import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { cancelTask, type NewTask, submitTask } from '@switchyard/contract/dispatch/tasks';
import type { Command } from 'commander';
import { followTasks, untilEnded } from '../follow-tasks.ts';
import { addGatewayOptions, type GatewayOptions, gatewayEnvironment } from '../gateway-address.ts';
import { describeCommand } from '../help.ts';
import { withInterrupts } from '../interrupts.ts';
import { readWorkflow, requireFile, uploadLocalFile } from '../local-file.ts';
import { openGateway } from '../open-gateway.ts';
import { collected, seconds, wholeNumber } from '../option-values.ts';
import { printJson } from '../output.ts';
import { plainText } from '../plain-text.ts';
import { progressView } from '../progress-view.ts';
import { type GivenParam, parseParams } from '../run-params.ts';
import { saveFile } from '../save-file.ts';
import { hasEnded } from '../task-board.ts';
import { failureOf } from '../task-failure.ts';
import type { Terminal } from '../terminal.ts';

interface RunOptions extends GatewayOptions {
  param?: string[];
  wait?: true;
  outputDir?: string;
  json?: true;
  name?: string;
  priority?: number;
  tag?: string[];
  on?: string;
  pool?: string;
  timeout?: number;
  count: number;
}

interface EndedTask {
  task: TaskDetail;
  savedFiles: string[];
}

/** The gateway takes no more; of a film that was named by mistake nothing is read. */
const largestWorkflowBytes = 25_000_000;
/** As many as one filter of live messages takes. */
const mostTasks = 1_000;
/** How long a worker gets to stop before we leave; the gateway goes on seeing to it. */
const cancelGraceMs = 30_000;

export function addRunCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('run <file>')
    .option(
      '-p, --param <key=value>',
      'set an input or a {{placeholder}}; key=@file uploads a file',
      collected,
    )
    .option('--wait', 'wait for the end, with progress; exit code 1 when the task fails')
    .option('-o, --output-dir <folder>', 'save the outputs there (waits as well)')
    .option('--json', 'print the tasks as JSON')
    .option('--name <text>', 'name of the task')
    .option('--priority <n>', '-100 to 100, higher goes first', wholeNumber(-100, 100))
    .option('--tag <tag>', 'tag of the task; several times for several', collected)
    .option('--on <instance>', 'run on this instance only')
    .option('--pool <tag>', 'run on servers with this tag only')
    .option('--timeout <time>', 'longest run of one attempt: 90, 10m, 2h', seconds)
    .option('--count <n>', 'submit it this many times', wholeNumber(1, mostTasks), 1)
    .action((file: string, options: RunOptions) => run(file, options, terminal));
  addGatewayOptions(command);
  describeCommand(command, {
    purpose: 'run a workflow (ComfyUI, API format) on the pool',
    examples: [
      'switchyard run invert.json -p 1.image=@cat.png -o out/',
      'switchyard run film.json --wait --priority 10',
      'switchyard run portrait.json -p prompt="a red kite" --count 4   # prints the ids, does not wait',
    ],
    environment: gatewayEnvironment,
    exits: ['ok', 'failed', 'usage', 'auth', 'unreachable', 'cancelled'],
  });
}

/** Read, upload, submit; and, when that is wanted, wait, save, print. */
async function run(file: string, options: RunOptions, terminal: Terminal): Promise<void> {
  const workflow = readWorkflow(resolve(terminal.cwd, file), largestWorkflowBytes);
  const given = parseParams(options.param ?? []);
  for (const param of given.values()) if ('path' in param) requireFile(resolve(terminal.cwd, param.path));
  const client = await openGateway(options, terminal);
  const submitted: TaskDetail[] = [];
  const ended = await withInterrupts(async (signal) => {
    try {
      const params = await uploadParams(given, { client, cwd: terminal.cwd, signal });
      await submitAll(
        { workflow, params, ...taskOptions(options) },
        { client, options, submitted, signal },
        terminal,
      );
      if (!waits(options)) return undefined;
      return await waitForAll(submitted, { client, options, signal }, terminal);
    } catch (error) {
      if (signal.aborted) await cancelAll(submitted, client, terminal);
      throw error;
    }
  });
  print(ended ?? submitted.map((task) => ({ task, savedFiles: [] })), options, terminal);
  const failure = failureOf((ended ?? []).map(({ task }) => task));
  if (failure) throw failure;
}

function waits({ wait, outputDir }: RunOptions): boolean {
  return wait === true || outputDir !== undefined;
}

function taskOptions({
  name,
  priority,
  tag,
  on,
  pool,
  timeout,
}: RunOptions): Omit<NewTask, 'workflow' | 'params'> {
  return {
    ...(name !== undefined && { name }),
    ...(priority !== undefined && { priority }),
    ...(tag !== undefined && { tags: tag }),
    ...(on !== undefined && { instanceId: on }),
    ...(pool !== undefined && { pool }),
    ...(timeout !== undefined && { timeoutSeconds: timeout }),
  };
}

interface Uploading {
  client: Client;
  cwd: string;
  signal: AbortSignal;
}

/** A file that is named twice is sent once. */
async function uploadParams(
  given: ReadonlyMap<string, GivenParam>,
  { client, cwd, signal }: Uploading,
): Promise<Record<string, unknown>> {
  const fileIds = new Map<string, string>();
  const params: Record<string, unknown> = {};
  for (const [name, param] of given) {
    if ('value' in param) {
      params[name] = param.value;
      continue;
    }
    const path = resolve(cwd, param.path);
    const fileId = fileIds.get(path) ?? (await uploadLocalFile(client, path, signal)).fileId;
    fileIds.set(path, fileId);
    params[name] = { $file: fileId };
  }
  return params;
}

interface Submitting {
  client: Client;
  options: RunOptions;
  /** Grows with each task, so that whoever is interrupted knows what to cancel. */
  submitted: TaskDetail[];
  signal: AbortSignal;
}

/** Each with a key of its own, so that a lost answer does not make a second task. A submission is never broken off. */
async function submitAll(
  body: NewTask,
  { client, options, submitted, signal }: Submitting,
  { stdout, stderr }: Terminal,
): Promise<void> {
  for (let count = 0; count < options.count; count += 1) {
    signal.throwIfAborted();
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const task = await client.call(submitTask, { body, headers });
    submitted.push(task);
    if (count === 0) for (const warning of task.warnings) stderr.write(`Warning: ${plainText(warning)}\n`);
    if (!waits(options) && !options.json) stdout.write(`${task.id}\n`);
  }
}

interface Waiting {
  client: Client;
  options: RunOptions;
  signal: AbortSignal;
}

async function waitForAll(
  tasks: readonly TaskDetail[],
  { client, options, signal }: Waiting,
  { cwd, env, stderr }: Terminal,
): Promise<EndedTask[]> {
  const view = progressView(stderr, env);
  const ended: EndedTask[] = [];
  const onEnd = async (task: TaskDetail): Promise<void> => {
    const { outputDir } = options;
    ended.push({
      task,
      savedFiles: outputDir === undefined ? [] : await saveOutputs(task, { client, cwd, outputDir, signal }),
    });
  };
  try {
    const onChange = view.show.bind(view);
    await followTasks(tasks, { client, signal, onChange, onEnd });
    return ended;
  } finally {
    view.clear();
  }
}

/** Answers the paths below the folder as the user wrote it. */
async function saveOutputs(
  { result }: TaskDetail,
  { client, cwd, outputDir, signal }: { client: Client; cwd: string; outputDir: string; signal: AbortSignal },
): Promise<string[]> {
  const folder = resolve(cwd, outputDir);
  const saved: string[] = [];
  for (const { fileId, filename } of result?.outputs ?? []) {
    saved.push(join(outputDir, await saveFile(client, fileId, { folder, filename, signal })));
  }
  return saved;
}

/** Whoever interrupts wants the workers free again. It is waited for, so that "cancelled" is true when it is said. */
async function cancelAll(tasks: readonly TaskDetail[], client: Client, { stderr }: Terminal): Promise<void> {
  if (tasks.length === 0) return;
  stderr.write(
    `Cancelling ${tasks.length === 1 ? 'the task' : `${tasks.length} tasks`}; once more to leave now.\n`,
  );
  const signal = AbortSignal.timeout(cancelGraceMs);
  for (const { id: taskId } of tasks) {
    try {
      const task = await client.call(cancelTask, { params: { taskId }, signal });
      if (!hasEnded(task)) await untilEnded(client, taskId, { signal });
    } catch {
      // It ended before, or the gateway is away: there is nothing left to cancel from here.
    }
  }
}

function print(ended: readonly EndedTask[], options: RunOptions, terminal: Terminal): void {
  if (options.json) {
    printJson(
      terminal,
      ended.map(({ task, savedFiles }) => ({ ...task, savedFiles })),
    );
    return;
  }
  if (!waits(options)) return;
  for (const { task, savedFiles } of ended) {
    const files = options.outputDir === undefined ? (task.result?.files ?? []) : savedFiles;
    for (const file of files) terminal.stdout.write(`${plainText(file)}\n`);
    for (const { text } of task.result?.texts ?? []) terminal.stdout.write(`${plainText(text)}\n`);
    const missing = task.result?.outputsMissing ?? 0;
    if (missing > 0)
      terminal.stderr.write(`${missing} outputs of task ${task.id} could not be had from the worker.\n`);
  }
}
