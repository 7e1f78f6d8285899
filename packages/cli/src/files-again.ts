import { makeFileAgain, type RecipeChanges } from '@switchyard/contract/dispatch/recipe';
import { type Command, InvalidArgumentError } from 'commander';
import { addGatewayOptions, type GatewayOptions, gatewayEnvironment } from './gateway-options.ts';
import { describeCommand } from './help.ts';
import { openGateway } from './open-gateway.ts';
import { collected, wholeNumber } from './option-values.ts';
import type { PrintOptions } from './print-tasks.ts';
import { runTasks } from './run-tasks.ts';
import type { Terminal } from './terminal.ts';
import { readParams, uploadParams } from './workflow-run.ts';

interface AgainOptions extends GatewayOptions, PrintOptions {
  param?: string[];
  seed?: NonNullable<RecipeChanges['seed']>;
  on?: string;
  pool?: string;
  name?: string;
  priority?: number;
}

export function addFilesAgain(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('again <id>')
    .option(
      '-p, --param <key=value>',
      'set an input besides those of the recipe; key=@file uploads a file',
      collected,
    )
    .option('--seed <seed>', 'same, random or a number, for every seed of the graph', seed)
    .option('--on <instance>', 'run on this instance only')
    .option('--pool <tag>', 'run on servers with this tag only')
    .option('--name <text>', 'name of the task')
    .option(
      '--priority <n>',
      '-100 to 100, higher goes first; members have a lower maximum, which the gateway names',
      wholeNumber(-100, 100),
    )
    .option('--wait', 'wait for the end, with progress; exit code 1 when the task fails')
    .option('-o, --output-dir <folder>', 'save the outputs there (waits as well)')
    .option('--json', 'print the task as JSON')
    .action((fileId: string, options: AgainOptions) => makeAgain(fileId, options, terminal));
  addGatewayOptions(command);
  describeCommand(command, {
    purpose: 'make a file again, with or without changes',
    examples: [
      'switchyard files again 2b1cXk5x0Zc3v4Q9eYt7Wg --seed random -o out/',
      'switchyard files again 2b1cXk5x0Zc3v4Q9eYt7Wg -p "Prompt.text=a blue kite" --wait',
    ],
    environment: gatewayEnvironment,
    exits: ['ok', 'failed', 'usage', 'auth', 'not_found', 'conflict', 'unreachable', 'cancelled'],
  });
}

async function makeAgain(fileId: string, options: AgainOptions, terminal: Terminal): Promise<void> {
  const given = readParams(options.param, terminal);
  const client = await openGateway(options, terminal);
  await runTasks({
    client,
    terminal,
    options,
    submit: async (context, onSubmitted) => {
      const params = await uploadParams(given, context);
      context.signal.throwIfAborted();
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const body = { ...(given.size > 0 && { params }), ...changesIn(options) };
      onSubmitted(await client.call(makeFileAgain, { params: { fileId }, body, headers }));
    },
  });
}

function changesIn({ seed: wanted, on, pool, name, priority }: AgainOptions): RecipeChanges {
  return {
    ...(wanted !== undefined && { seed: wanted }),
    ...(on !== undefined && { targetInstanceId: on }),
    ...(pool !== undefined && { pool }),
    ...(name !== undefined && { name }),
    ...(priority !== undefined && { priority }),
  };
}

function seed(text: string): NonNullable<RecipeChanges['seed']> {
  if (text === 'same' || text === 'random') return text;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('Write same, random, or a whole number.');
}
