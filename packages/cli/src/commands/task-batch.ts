import { randomUUID } from 'node:crypto';
import type { Client } from '@switchyard/client/client';
import type { TaskDetail, TaskStatusFilter } from '@switchyard/contract/dispatch/task';
import { taskStatusFilters } from '@switchyard/contract/dispatch/task';
import {
  type BatchAction,
  createTaskBatch,
  getTaskBatch,
  type TaskBatch,
  type TaskFilterInput,
} from '@switchyard/contract/dispatch/task-batches';
import { cancelTask, moveTaskToFront, retryTask } from '@switchyard/contract/dispatch/tasks';
import { type Command, Option } from 'commander';
import { confirm } from '../confirm.ts';
import { CommandError } from '../exit-codes.ts';
import type { GatewayOptions } from '../gateway-options.ts';
import { openGateway } from '../open-gateway.ts';
import { moment } from '../option-values.ts';
import { type OutputOptions, printJson } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';

interface BatchOptions extends GatewayOptions, OutputOptions {
  status?: TaskStatusFilter;
  instance?: string;
  user?: string;
  tag?: string;
  search?: string;
  since?: string;
  until?: string;
  dryRun?: true;
  yes?: true;
}

type PrintTasks = (tasks: TaskDetail[], options: OutputOptions, terminal: Terminal) => void;

/** One request waits this long for the end of a batch; then the next one does. */
const waitSeconds = 20;

export function addCancel(parent: Command, terminal: Terminal, print: PrintTasks): void {
  const command = addFilterOptions(parent.command('cancel [ids...]')).action((ids, options) =>
    act('cancel', { ids, options, print }, terminal),
  );
  describeGatewayCommand(command, {
    purpose: 'cancel tasks: one that waits at once, one that runs as soon as its worker stops',
    examples: [
      'switchyard tasks cancel 0196a1b2-0000-7000-8000-000000000000',
      'switchyard tasks cancel --tag nightly --dry-run     # how many?',
      'switchyard tasks cancel --status pending --yes      # all that wait',
    ],
    exits: ['ok', 'usage', 'auth', 'not_found', 'conflict', 'unreachable'],
  });
}

export function addRetry(parent: Command, terminal: Terminal, print: PrintTasks): void {
  const command = addFilterOptions(parent.command('retry [ids...]')).action((ids, options) =>
    act('retry', { ids, options, print }, terminal),
  );
  describeGatewayCommand(command, {
    purpose: 'submit copies of tasks',
    examples: [
      'switchyard tasks retry 0196a1b2-0000-7000-8000-000000000000',
      'switchyard tasks retry --status failed --since 2h --yes',
    ],
    exits: ['ok', 'failed', 'usage', 'auth', 'not_found', 'conflict', 'unreachable'],
  });
}

export function addFront(parent: Command, terminal: Terminal): void {
  const command = addFilterOptions(parent.command('front [ids...]')).action((ids, options) =>
    act('front', { ids, options, print: printPlaces }, terminal),
  );
  describeGatewayCommand(command, {
    purpose: "move waiting tasks ahead of their owner's other tasks with the same priority",
    examples: [
      'switchyard tasks front 0196a1b2-0000-7000-8000-000000000000',
      'switchyard tasks front --tag urgent --yes',
    ],
    exits: ['ok', 'usage', 'auth', 'not_found', 'conflict', 'unreachable'],
  });
}

function printPlaces(tasks: TaskDetail[], { output }: OutputOptions, terminal: Terminal): void {
  if (output === 'json') {
    printJson(terminal, tasks.length === 1 ? tasks[0] : tasks);
    return;
  }
  for (const { id, position } of tasks)
    terminal.stdout.write(`${id}: place ${position ?? 'none any more'}\n`);
}

function addFilterOptions(command: Command): Command {
  return command
    .addOption(new Option('--status <status>', 'all with this status').choices([...taskStatusFilters]))
    .option('--instance <id>', 'all of this instance')
    .option('--user <id>', 'all of this user, by the id of the account (administrators)')
    .option('--tag <tag>', 'all with this tag')
    .option('--search <text>', 'all with this text in their name')
    .option('--since <moment>', 'all since then: a time, or how long ago (2h)', (text) => moment(text))
    .option('--until <moment>', 'all before then', (text) => moment(text))
    .option('--dry-run', 'only count them')
    .option('--yes', 'do not ask');
}

async function act(
  action: BatchAction,
  { ids, options, print }: { ids: string[]; options: BatchOptions; print: PrintTasks },
  terminal: Terminal,
): Promise<void> {
  const filter = filterOf(options);
  if (ids.length > 0) {
    if (filter || options.dryRun)
      throw new CommandError('usage', 'Give either ids, or options that say which tasks.');
    const { call } = await openGateway(options, terminal);
    const tasks: TaskDetail[] = [];
    // The one that is moved last goes first, so the last of the ids is moved first.
    const ordered = action === 'front' ? ids.toReversed() : ids;
    for (const taskId of ordered) tasks.push(await call(words[action].endpoint, { params: { taskId } }));
    return print(tasks, options, terminal);
  }
  if (!filter)
    throw new CommandError('usage', 'Say which tasks: ids, or options such as --status and --since.');
  const client = await openGateway(options, terminal);
  const counted = await client.call(createTaskBatch, { body: { action, filter, dryRun: true } });
  if (options.dryRun || counted.total === 0) return printBatch(counted, options, terminal);
  if (!options.yes) await confirm(`${words[action].ask} ${numberOf(counted)}?`, terminal);
  const batch = await finished(client, { action, filter, count: counted.total });
  printBatch(batch, options, terminal);
  if (batch.failed > 0) {
    const list = `GET /api/task-batches/${batch.id}/items?outcome=failed`;
    throw new CommandError(
      'failed',
      `${batch.failed} tasks could not be ${words[action].did}; ${list} says why.`,
    );
  }
}

/** Returns undefined when no option chooses tasks. */
function filterOf(options: BatchOptions): TaskFilterInput | undefined {
  const { status, instance: instanceId, user: owner, tag, search: q, since, until } = options;
  const given = Object.entries({ status, instanceId, owner, tag, q, since, until }).filter(
    ([, value]) => value !== undefined,
  );
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

async function finished(
  { call }: Client,
  body: { action: BatchAction; filter: TaskFilterInput; count: number },
): Promise<TaskBatch> {
  const headers = { 'idempotency-key': randomUUID() };
  let batch = await call(createTaskBatch, { body, headers, query: { wait: waitSeconds } });
  while (batch.state === 'running' && batch.id !== null) {
    batch = await call(getTaskBatch, { params: { batchId: batch.id }, query: { wait: waitSeconds } });
  }
  return batch;
}

function printBatch(batch: TaskBatch, { output }: OutputOptions, terminal: Terminal): void {
  if (output === 'json') printJson(terminal, batch);
  else terminal.stdout.write(`${summaryOf(batch)}.\n`);
}

function summaryOf(batch: TaskBatch): string {
  const { action, state, done, skipped, failed } = batch;
  if (state === 'counted') return `${numberOf(batch)} to ${action}`;
  const { did, tooLate } = words[action];
  const rest = [
    ...(skipped > 0 ? [`${skipped} ${tooLate}`] : []),
    ...(failed > 0 ? [`${failed} could not be ${did}`] : []),
  ];
  return [`${done} tasks ${did}`, ...rest].join(', ');
}

const words = {
  cancel: { endpoint: cancelTask, ask: 'Cancel', did: 'cancelled', tooLate: 'had ended before' },
  retry: { endpoint: retryTask, ask: 'Copy', did: 'copied', tooLate: 'had ended before' },
  front: { endpoint: moveTaskToFront, ask: 'Move', did: 'moved', tooLate: 'did not wait any more' },
} as const;

function numberOf({ total, totalIsMinimum }: TaskBatch): string {
  return `${totalIsMinimum ? 'more than ' : ''}${total} task${total === 1 ? '' : 's'}`;
}
