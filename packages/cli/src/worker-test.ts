import { workerUrl } from '@switchyard/contract/dispatch/worker-address';
import type { Examined } from '@switchyard/worker/conformance/examine';
import type { Command } from 'commander';
import { CommandError } from './exit-codes.ts';
import { describeCommand } from './help.ts';
import { seconds } from './option-values.ts';
import { addOutputOption, type OutputOptions, printJson } from './output.ts';
import { plainText } from './plain-text.ts';
import type { Terminal } from './terminal.ts';
import { readWorkerAddress } from './worker-address.ts';

interface WorkerTestOptions extends OutputOptions {
  restartCommand?: string;
  only: string;
  patience: number;
}

const usualPatienceSeconds = 300;

export function addWorkerTest(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('test <url>')
    .option(
      '--restart-command <command>',
      'restarts the server, and ends when that is done; for facts about restarts',
    )
    .option('--only <words>', 'only facts with these words, for example A6 or history', '')
    .option(
      '--patience <time>',
      'longest single wait, for slow workers: 90, 10m',
      seconds,
      usualPatienceSeconds,
    )
    .action((url: string, options: WorkerTestOptions) => testWorker(url, options, terminal));
  addOutputOption(command);
  describeCommand(command, {
    purpose: 'check a server against the worker protocol, fact by fact; it must be idle and yours',
    examples: [
      'switchyard worker test http://127.0.0.1:8188',
      'switchyard worker test http://127.0.0.1:8188 --restart-command "systemctl restart comfyui"',
      'switchyard worker test http://127.0.0.1:8188 --only A6',
      'switchyard worker test https://user:password@gpu.example.com/comfy/',
    ],
    exits: ['ok', 'failed', 'usage', 'conflict', 'unreachable'],
  });
}

async function testWorker(address: string, options: WorkerTestOptions, terminal: Terminal): Promise<void> {
  const worker = readWorkerAddress(address);
  const url = workerUrl(worker, worker).replace(/\/$/, '');
  const { headers } = worker;
  const version = await versionOfIdle(url, headers);
  const { examine, Subject, restartByCommand } = await suite();
  const patienceMs = options.patience * 1_000;
  const restart = options.restartCommand && restartByCommand(options.restartCommand, patienceMs);
  const subject = new Subject({ url, headers, patienceMs, ...(restart && { restart }) });
  terminal.stderr.write(`Testing ${url}, version ${plainText(version ?? 'unknown')}.\n`);
  terminal.stderr.write('This clears its queue and its history, and leaves files named conformance there.\n');
  const examined: Examined[] = [];
  for await (const fact of examine(subject, { version, only: options.only })) {
    examined.push(fact);
    if (options.output === 'table') terminal.stdout.write(lineOf(fact));
  }
  if (examined.length === 0) throw new CommandError('usage', `No fact has the words "${options.only}".`);
  if (options.output === 'json') printJson(terminal, { url, version, facts: examined });
  conclude(examined, terminal);
}

function conclude(examined: readonly Examined[], terminal: Terminal): void {
  const count = (verdict: Examined['verdict']) => examined.filter((fact) => fact.verdict === verdict).length;
  const different = examined.filter(({ verdict, isRequired }) => verdict === 'differs' && isRequired).length;
  const summary = `${count('ok')} ok, ${count('differs')} differ, ${count('not applicable')} not applicable.`;
  terminal.stderr.write(`${summary}\n`);
  if (different === 0) return;
  const noun =
    different === 1 ? 'fact that the gateway needs differs' : 'facts that the gateway needs differ';
  throw new CommandError('failed', `${different} ${noun}.`);
}

function lineOf({ verdict, section, says, versions, reason, isRequired }: Examined): string {
  const spare = isRequired ? '' : ', not needed';
  const line = `${verdict.padEnd('not applicable'.length)}  ${section}: ${says} (${versions}${spare})\n`;
  if (reason === null) return line;
  const indent = ' '.repeat('not applicable'.length + 2);
  const text = reason.split('\n').map((part) => `${indent}${plainText(part)}\n`);
  return `${line}${text.join('')}`;
}

/** Loaded on demand: a running worker needs none of it. */
async function suite() {
  const [{ examine }, { Subject }, { restartByCommand }] = await Promise.all([
    import('@switchyard/worker/conformance/examine'),
    import('@switchyard/worker/conformance/subject'),
    import('@switchyard/worker/conformance/restart-by-command'),
  ]);
  return { examine, Subject, restartByCommand };
}

const firstAnswerMs = 10_000;

/**
 * Returns the version that the worker reports. Its queue has to be empty, because the suite deletes waiting prompts.
 */
async function versionOfIdle(url: string, headers: Record<string, string>): Promise<string | null> {
  const [stats, prompt] = await Promise.all([
    ask(`${url}/system_stats`, headers),
    ask(`${url}/prompt`, headers),
  ]);
  const waiting = Number(prompt.exec_info?.queue_remaining ?? 0);
  if (waiting > 0) {
    const message = `${url} has ${waiting} prompts in its queue, and the test would drop them. Try again when it is idle.`;
    throw new CommandError('conflict', message);
  }
  const version = stats.system?.comfyui_version;
  return typeof version === 'string' ? version : null;
}

interface AboutItself {
  system?: { comfyui_version?: unknown };
  exec_info?: { queue_remaining?: unknown };
}

async function ask(url: string, headers: Record<string, string>): Promise<AboutItself> {
  try {
    const answer = await fetch(url, {
      headers,
      signal: AbortSignal.timeout(firstAnswerMs),
      redirect: 'error',
    });
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    const body: unknown = await answer.json();
    return typeof body === 'object' && body !== null ? body : {};
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError('unreachable', `${url} does not answer as a ComfyUI server does: ${why}.`, error);
  }
}
