import { resolve } from 'node:path';
import type { NewTask } from '@switchyard/contract/dispatch/tasks';
import type { Command } from 'commander';
import { addGatewayOptions, type GatewayOptions, gatewayEnvironment } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { readJsonObject, readWorkflow } from '../local-file.ts';
import { openGateway } from '../open-gateway.ts';
import { collected, seconds, wholeNumber } from '../option-values.ts';
import type { PrintOptions } from '../print-tasks.ts';
import { runTasks } from '../run-tasks.ts';
import { hintOfMissingFile } from '../task-failure.ts';
import type { Terminal } from '../terminal.ts';
import { readParams, submitTasks, uploadParams } from '../workflow-run.ts';

interface RunOptions extends GatewayOptions, PrintOptions {
  param?: string[];
  name?: string;
  note?: string;
  priority?: number;
  tag?: string[];
  on?: string;
  pool?: string;
  extraData?: string;
  only?: string[];
  timeout?: number;
  count: number;
}

/** The gateway accepts no more. A film that was named by mistake is refused before it is read. */
const maxWorkflowBytes = 25_000_000;
/** One filter of live messages takes no more. */
const maxTasks = 1_000;

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
    .option('--note <text>', 'what people should know about the task')
    .option(
      '--priority <n>',
      '-100 to 100, higher goes first; members have a lower maximum, which the gateway names',
      wholeNumber(-100, 100),
    )
    .option('--tag <tag>', 'tag of the task; several times for several', collected)
    .option('--on <instance>', 'run on this instance only')
    .option('--pool <tag>', 'run on servers with this tag only')
    .option('--extra-data <file>', 'JSON for the worker: PNG metadata, keys of API nodes')
    .option('--only <node>', 'run only this output node; several times for several', collected)
    .option('--timeout <time>', 'longest run of one attempt: 90, 10m, 2h', seconds)
    .option('--count <n>', 'submit it this many times', wholeNumber(1, maxTasks), 1)
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

/** Reads the workflow, uploads files, submits; waits and saves outputs if the options ask for it; prints. */
async function run(file: string, options: RunOptions, terminal: Terminal): Promise<void> {
  const workflow = readWorkflow(file, { cwd: terminal.cwd, maxBytes: maxWorkflowBytes });
  const extra = workerOptions(options, terminal);
  const given = readParams(options.param, terminal);
  const client = await openGateway(options, terminal);
  await runTasks({
    client,
    terminal,
    options,
    hintFor: hintOfMissingFile,
    submit: async (context, onSubmitted) => {
      const params = await uploadParams(given, context);
      // A name that matches no input is a typing error. Without this check the workflow would run with the old value.
      const body = { workflow, params, strict: true, ...taskOptions(options), ...extra };
      await submitTasks(body, { count: options.count, onSubmitted }, context);
    },
  });
}

/** Reads the options that only the worker uses. */
function workerOptions(
  { extraData: file, only }: RunOptions,
  { cwd }: Terminal,
): Pick<NewTask, 'extraData' | 'partialExecutionTargets'> {
  const targets = only && { partialExecutionTargets: only };
  if (file === undefined) return { ...targets };
  const remedy = 'Write an object, for example { "extra_pnginfo": { "workflow": {} } }.';
  const limits = { maxBytes: maxWorkflowBytes, noun: 'set of extra data', remedy };
  return { ...targets, extraData: readJsonObject(resolve(cwd, file), limits) };
}

function taskOptions({
  name,
  note,
  priority,
  tag,
  on,
  pool,
  timeout,
}: RunOptions): Omit<NewTask, 'workflow' | 'params'> {
  return {
    ...(name !== undefined && { name }),
    ...(note !== undefined && { note }),
    ...(priority !== undefined && { priority }),
    ...(tag !== undefined && { tags: tag }),
    ...(on !== undefined && { instanceId: on }),
    ...(pool !== undefined && { pool }),
    ...(timeout !== undefined && { timeoutSeconds: timeout }),
  };
}
