import { type Task, type TaskDetail, taskStatusFilters } from '@switchyard/contract/dispatch/task';
import type { TaskNode, UsualNodeTime } from '@switchyard/contract/dispatch/task-node';
import { countTasks, getTask, listTasks } from '@switchyard/contract/dispatch/tasks';
import { getTaskTimeline } from '@switchyard/contract/dispatch/timeline';
import { type Command, Option } from 'commander';
import { addGatewayOptions, type GatewayOptions, gatewayEnvironment } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { addPageOptions, type PageOptions, sayHowToGoOn } from '../list-pages.ts';
import { openGateway } from '../open-gateway.ts';
import { moment } from '../option-values.ts';
import { addOutputOption, type OutputOptions, printJson, printTable } from '../output.ts';
import { type Column, details } from '../table.ts';
import { outcomeOf } from '../task-board.ts';
import { nodesOf } from '../task-nodes.ts';
import type { Terminal } from '../terminal.ts';
import { limitOption, printTimeline, type TimelineOptions } from '../timeline-output.ts';
import { treeSpanOfTask } from '../timeline-view.ts';
import { watchEvents, watchTasks } from '../watch-tasks.ts';
import { wholeTimeline } from '../whole-timeline.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';
import { addCancel, addFront, addRetry } from './task-batch.ts';
import { addPause, addResume } from './task-queue.ts';
import { addWhyCommand } from './tasks-why.ts';

type Options = GatewayOptions & OutputOptions;

interface ListOptions extends Options, PageOptions {
  status?: Task['status'];
  instance?: string;
  tag?: string;
  thread?: string;
  search?: string;
}

export function addTasksCommand(program: Command, terminal: Terminal): void {
  const command = program.command('tasks');
  describeCommand(command, {
    purpose: 'list, follow, cancel and repeat tasks; pause and resume the queue',
    examples: [
      'switchyard tasks list --status running',
      'switchyard tasks watch',
      'switchyard tasks cancel 0196a1b2-0000-7000-8000-000000000000',
    ],
  });
  addList(command, terminal);
  addCountCommand(command, terminal);
  addGet(command, terminal);
  addTimelineOfTask(command, terminal);
  addWhyCommand(command, terminal);
  addNodesCommand(command, terminal);
  addWatch(command, terminal);
  addCancel(command, terminal, printTasks);
  addRetry(command, terminal, printTasks);
  addFront(command, terminal);
  addPause(command, terminal);
  addResume(command, terminal);
}

function addList(parent: Command, terminal: Terminal): void {
  const listing = parent
    .command('list')
    .addOption(new Option('--status <status>', 'only these').choices([...taskStatusFilters]))
    .option('--instance <id>', 'only those of this instance')
    .option('--tag <tag>', 'only those with this tag')
    .option('--thread <id>', 'only those that agents of this thread asked for')
    .option('--search <text>', 'part of the name, or the start of the id');
  const command = addPageOptions(listing, 200).action(async (options: ListOptions) => {
    const { call } = await openGateway(options, terminal);
    const { status, instance: instanceId, tag, thread: threadId, search: q, limit, offset } = options;
    const list = await call(listTasks, { query: { status, instanceId, tag, threadId, q, limit, offset } });
    if (options.output === 'json') return printJson(terminal, list);
    printTable(terminal, { columns, rows: list.items, none: 'There are no such tasks.' });
    sayHowToGoOn(list, { noun: 'tasks', offset }, terminal);
  });
  describeGatewayCommand(command, {
    purpose: 'list tasks, the newest first',
    examples: ['switchyard tasks list', 'switchyard tasks list --status failed -o json'],
  });
}

function addGet(parent: Command, terminal: Terminal): void {
  const command = parent.command('get <id>').action(async (taskId: string, options: Options) => {
    const { call } = await openGateway(options, terminal);
    const task = await call(getTask, { params: { taskId } });
    if (options.output === 'json') printJson(terminal, task);
    else terminal.stdout.write(describeTask(task));
  });
  describeGatewayCommand(command, {
    purpose: 'show one task with its attempts and outputs',
    examples: ['switchyard tasks get 0196a1b2-0000-7000-8000-000000000000'],
  });
}

function addWatch(parent: Command, terminal: Terminal): void {
  const command = parent.command('watch [ids...]').action(async (ids: string[], options: Options) => {
    const client = await openGateway(options, terminal);
    const watching = { client, asJson: options.output === 'json' };
    if (ids.length === 0) await watchEvents(watching, terminal);
    else await watchTasks(ids, watching, terminal);
  });
  describeGatewayCommand(command, {
    purpose: 'follow tasks until they end, or everything that happens until Ctrl-C',
    examples: [
      'switchyard tasks watch',
      'switchyard tasks watch 0196a1b2-0000-7000-8000-000000000000   # exit code 1 when it fails',
      'switchyard tasks watch -o json | jq -c .data                  # a message a line',
    ],
    exits: ['ok', 'failed', 'auth', 'not_found', 'unreachable', 'cancelled'],
  });
}

const columns: Column<Task>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'STATUS', of: outcomeOf },
  { title: 'PROGRESS', of: ({ progress }) => `${progress}%` },
  { title: 'NAME', of: ({ name }) => name },
  { title: 'INSTANCE', of: ({ instanceId }) => instanceId },
  { title: 'CREATED', of: ({ createdAt }) => createdAt },
  { title: 'WAITING', of: ({ waiting }) => waiting },
];

function printTasks(tasks: TaskDetail[], { output }: OutputOptions, terminal: Terminal): void {
  if (output === 'json') printJson(terminal, tasks);
  else printTable(terminal, { columns, rows: tasks, none: '' });
}

function describeTask(task: TaskDetail): string {
  const { error, result } = task;
  return details([
    ['id', task.id],
    ['name', task.name],
    ['status', task.phase === 'ended' ? outcomeOf(task) : `${task.status} (${task.phase})`],
    ['progress', `${task.progress}%`],
    ['node', task.node],
    ['position', task.position],
    ['waits', task.waiting],
    ['done', task.eta && `between ${task.eta.from} and ${task.eta.to}`],
    ['instance', task.instanceId],
    ['priority', task.priority],
    ['tags', task.tags.join(', ')],
    ['created', task.createdAt],
    ['started', task.startedAt],
    ['finished', task.finishedAt],
    ['error', error && `${error.message} (${error.code})`],
    ['at node', error?.nodeTitle ?? error?.node ?? null],
    ...task.warnings.map((warning): [string, string] => ['warning', warning]),
    ...task.attempts.map((attempt): [string, string] => [
      `attempt ${attempt.attempt}`,
      `${attempt.instanceId}, ${attempt.outcome ?? attempt.state}${attempt.error ? `: ${attempt.error.message}` : ''}`,
    ]),
    ...(result?.outputs ?? []).map((output): [string, string] => [
      'output',
      `${output.fileId}  ${output.filename}`,
    ]),
    ...(result?.texts ?? []).map(({ text }): [string, string] => ['text', text]),
  ]);
}

interface CountOptions extends GatewayOptions, OutputOptions {
  instance?: string;
  tag?: string;
  search?: string;
  since?: string;
}

function addCountCommand(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('count')
    .option('--instance <id>', 'only those of this instance')
    .option('--tag <tag>', 'only those with this tag')
    .option('--search <text>', 'part of the name, or the start of the id')
    .option('--since <moment>', 'only those since then: a time, or how long ago (2h)', (text) => moment(text))
    .action(async (options: CountOptions) => {
      const { call } = await openGateway(options, terminal);
      const { instance: instanceId, tag, search: q, since } = options;
      const counts = await call(countTasks, { query: { instanceId, tag, q, since } });
      if (options.output === 'json') return printJson(terminal, counts);
      const { pending, running, completed, failed, cancelled, countIsMinimum } = counts;
      const ofThese = { 'of them cancelled': `${cancelled}${counts.cancelledIsMinimum ? ' or more' : ''}` };
      terminal.stdout.write(details(Object.entries({ pending, running, completed, failed, ...ofThese })));
      if (countIsMinimum) terminal.stdout.write(`A count stops at ${counts.maxCount}.\n`);
    });
  describeGatewayCommand(command, {
    purpose: 'count tasks by their status',
    examples: ['switchyard tasks count', 'switchyard tasks count --tag nightly --since 24h'],
  });
}

function addTimelineOfTask(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('timeline <id>')
    .addOption(limitOption())
    .action(async (taskId: string, options: GatewayOptions & TimelineOptions) => {
      const { call } = await openGateway(options, terminal);
      const timeline = await wholeTimeline(options.limit, (query) =>
        call(getTaskTimeline, { params: { taskId }, query }),
      );
      printTimeline(timeline, { options, show: treeSpanOfTask, terminal });
    });
  addOutputOption(addGatewayOptions(command));
  describeCommand(command, {
    purpose: 'show what a task did on one time axis: its waits, its attempts on workers and their nodes',
    examples: ['switchyard tasks timeline 0196a1b2-0000-7000-8000-000000000000'],
    environment: gatewayEnvironment,
    exits: ['ok', 'usage', 'auth', 'not_found', 'unreachable'],
  });
}

function addNodesCommand(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('nodes <id>')
    .action(async (taskId: string, options: GatewayOptions & OutputOptions) => {
      const { items, usual, folded } = await nodesOf(await openGateway(options, terminal), taskId);
      if (options.output === 'json') return printJson(terminal, { items, usual, folded });
      printTable(terminal, {
        columns: columnsWith(usual),
        rows: items,
        none: 'Nothing is known of its nodes.',
      });
      for (const { attempt, count } of folded) {
        terminal.stderr.write(`Attempt ${attempt} ran ${count} more nodes, which are not listed.\n`);
      }
    });
  describeGatewayCommand(command, {
    purpose: 'show when each node of a task began, how long it took and how long it usually takes',
    examples: ['switchyard tasks nodes 0196a1b2-0000-7000-8000-000000000000'],
  });
}

function columnsWith(usual: readonly UsualNodeTime[]): Column<TaskNode>[] {
  const usually = new Map(usual.map(({ node, seconds }) => [node, seconds.toFixed(3)]));
  return [
    { title: 'ATTEMPT', of: ({ attempt }) => attempt },
    { title: 'NODE', of: ({ node }) => node },
    { title: 'TITLE', of: ({ title }) => title },
    { title: 'STATE', of: ({ state }) => state },
    { title: 'SECONDS', of: secondsOf },
    { title: 'USUALLY', of: ({ node }) => usually.get(node) ?? null },
    { title: 'STARTED', of: ({ startedAt }) => startedAt },
  ];
}

function secondsOf({ startedAt, endedAt }: TaskNode): string | null {
  if (startedAt === null || endedAt === null) return null;
  return ((Date.parse(endedAt) - Date.parse(startedAt)) / 1_000).toFixed(3);
}
