import type { ScheduledTask, ScheduledTaskRun } from '@switchyard/contract/conversation/scheduled-task';
import {
  createScheduledTask,
  deleteScheduledTask,
  listScheduledTaskRuns,
  listScheduledTasks,
  patchScheduledTask,
  pauseScheduledTask,
  resumeScheduledTask,
  triggerScheduledTask,
} from '@switchyard/contract/conversation/scheduled-tasks';
import type { Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import type { GatewayOptions } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { addPageOptions, type PageOptions } from '../list-pages.ts';
import { openConversations } from '../open-gateway.ts';
import { type OutputOptions, printJson, printTable } from '../output.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';
import { addListCommand } from './list-command.ts';

type Options = GatewayOptions & OutputOptions;

interface TimeOptions extends Options {
  cron?: string;
  at?: string;
  timezone?: string;
  thread?: string;
}

interface AddOptions extends TimeOptions {
  title?: string;
  agent?: string;
}

interface ChangeOptions extends TimeOptions {
  title?: string;
  prompt?: string;
  freshThread?: true;
}

const exampleId = '7b0c1d52-8a4e-4f9e-9f57-1b2c3d4e5f60';
const maxTitleLength = 60;

export function addSchedulesCommand(program: Command, terminal: Terminal): void {
  const command = program.command('schedules');
  describeCommand(command, {
    purpose: 'let an agent run by itself, once or on a schedule',
    examples: [
      'switchyard schedules add "Sum up the news" --cron "0 9 * * 1-5" --timezone Europe/Berlin',
      'switchyard schedules list',
    ],
  });
  addList(command, terminal);
  addAdd(command, terminal);
  addChange(command, terminal);
  addSwitches(command, terminal);
  addTrigger(command, terminal);
  addHistory(command, terminal);
  addDelete(command, terminal);
}

function addList(parent: Command, terminal: Terminal): void {
  addListCommand(parent, terminal, {
    purpose: 'list your scheduled tasks, the newest first',
    ask: ({ call }) => call(listScheduledTasks),
    rowsOf: (tasks) => tasks,
    columns,
    none: 'You have no scheduled tasks.',
  });
}

function withTimes(command: Command): Command {
  return command
    .option('--cron <fields>', 'minute, hour, day of the month, month, day of the week: "0 9 * * 1-5"')
    .option('--at <time>', 'once, at this time: 2030-01-31T09:00')
    .option('--timezone <zone>', 'whose clocks count, such as Europe/Berlin')
    .option('--thread <id>', 'run in this thread; otherwise each run has a new one');
}

function addAdd(parent: Command, terminal: Terminal): void {
  const command = withTimes(parent.command('add <prompt>'))
    .option('--title <text>', 'its name in lists; the beginning of the prompt by default')
    .option('--agent <name>', 'the agent that runs; lead_agent by default')
    .action(async (prompt: string, options: AddOptions) => {
      const { call } = await openConversations(options, terminal);
      const task = await call(createScheduledTask, {
        body: {
          title: options.title ?? [...prompt].slice(0, maxTitleLength).join(''),
          prompt,
          ...requiredTime(options),
          timezone: options.timezone ?? 'UTC',
          ...inThread(options),
          ...(options.agent !== undefined && { assistant_id: options.agent }),
        },
      });
      if (options.output === 'json') printJson(terminal, task);
      else terminal.stderr.write(`${task.id} runs next at ${task.next_run_at}.\n`);
    });
  describeGatewayCommand(command, {
    purpose: 'send a prompt to an agent, once or on a schedule',
    examples: [
      'switchyard schedules add "Sum up the news" --cron "0 9 * * 1-5" --timezone Europe/Berlin',
      'switchyard schedules add "Remind me of the talk" --at 2030-01-31T09:00 --timezone Asia/Tokyo',
    ],
    exits: ['ok', 'failed', 'usage', 'auth', 'not_found', 'conflict', 'unreachable'],
  });
}

function addChange(parent: Command, terminal: Terminal): void {
  const command = withTimes(parent.command('change <id>'))
    .option('--title <text>', 'its name in lists')
    .option('--prompt <text>', 'what the agent is told')
    .option('--fresh-thread', 'from now on each run has a new thread')
    .action(async (taskId: string, options: ChangeOptions) => {
      const { call } = await openConversations(options, terminal);
      const { title, prompt, timezone, freshThread } = options;
      const task = await call(patchScheduledTask, {
        params: { task_id: taskId },
        body: {
          ...(title !== undefined && { title }),
          ...(prompt !== undefined && { prompt }),
          ...(timezone !== undefined && { timezone }),
          ...timeOf(options),
          ...inThread(options),
          ...(freshThread && { context_mode: 'fresh_thread_per_run' }),
        },
      });
      if (options.output === 'json') printJson(terminal, task);
      else
        terminal.stderr.write(`${task.id} is changed. It runs next at ${task.next_run_at ?? 'no time'}.\n`);
    });
  describeGatewayCommand(command, {
    purpose: 'change a scheduled task; what is not given stays as it is',
    examples: [`switchyard schedules change ${exampleId} --cron "30 8 * * *"`],
    exits: ['ok', 'failed', 'usage', 'auth', 'not_found', 'conflict', 'unreachable'],
  });
}

function addSwitches(parent: Command, terminal: Terminal): void {
  const switches = [
    ['pause', pauseScheduledTask, 'pause a scheduled task', 'rests'],
    ['resume', resumeScheduledTask, 'resume a scheduled task', 'runs again'],
  ] as const;
  for (const [name, endpoint, purpose, said] of switches) {
    const command = parent.command(`${name} <id>`).action(async (taskId: string, options: Options) => {
      const { call } = await openConversations(options, terminal);
      const task = await call(endpoint, { params: { task_id: taskId } });
      if (options.output === 'json') printJson(terminal, task);
      else terminal.stderr.write(`${task.id} ${said}.\n`);
    });
    describeGatewayCommand(command, { purpose, examples: [`switchyard schedules ${name} ${exampleId}`] });
  }
}

function addTrigger(parent: Command, terminal: Terminal): void {
  const command = parent.command('trigger <id>').action(async (taskId: string, options: Options) => {
    const { call } = await openConversations(options, terminal);
    const answer = await call(triggerScheduledTask, { params: { task_id: taskId } });
    if (options.output === 'json') printJson(terminal, answer);
    else terminal.stderr.write(`${answer.id} runs now; see: switchyard schedules history ${answer.id}\n`);
  });
  describeGatewayCommand(command, {
    purpose: 'run a scheduled task now, besides its schedule',
    examples: [`switchyard schedules trigger ${exampleId}`],
    exits: ['ok', 'failed', 'auth', 'not_found', 'conflict', 'unreachable'],
  });
}

function addHistory(parent: Command, terminal: Terminal): void {
  const command = addPageOptions(parent.command('history <id>'), 200).action(
    async (taskId: string, options: Options & PageOptions) => {
      const { call } = await openConversations(options, terminal);
      const { limit, offset } = options;
      const rows = await call(listScheduledTaskRuns, {
        params: { task_id: taskId },
        query: { limit, offset },
      });
      if (options.output === 'json') printJson(terminal, rows);
      else printTable(terminal, { columns: historyColumns, rows, none: 'It has not run yet.' });
    },
  );
  describeGatewayCommand(command, {
    purpose: 'show how the runs of a scheduled task ended, the newest first',
    examples: [`switchyard schedules history ${exampleId}`],
  });
}

function addDelete(parent: Command, terminal: Terminal): void {
  const command = parent.command('delete <id>').action(async (taskId: string, options: Options) => {
    const { call } = await openConversations(options, terminal);
    const answer = await call(deleteScheduledTask, { params: { task_id: taskId } });
    if (options.output === 'json') printJson(terminal, answer);
    else terminal.stderr.write(`${answer.id} is deleted. Its threads stay.\n`);
  });
  describeGatewayCommand(command, {
    purpose: 'delete a scheduled task with its history',
    examples: [`switchyard schedules delete ${exampleId}`],
  });
}

function requiredTime(options: TimeOptions) {
  const { cron, at } = options;
  if (cron !== undefined && at === undefined) return { schedule_type: 'cron', schedule_spec: { cron } };
  if (at !== undefined && cron === undefined) {
    return { schedule_type: 'once', schedule_spec: { run_at: at } };
  }
  throw new CommandError('usage', 'Say when it runs: --cron "0 9 * * 1-5", or --at 2030-01-31T09:00.');
}

function timeOf({ cron, at }: TimeOptions) {
  if (cron === undefined && at === undefined) return {};
  return { schedule_spec: { ...(cron !== undefined && { cron }), ...(at !== undefined && { run_at: at }) } };
}

function inThread({ thread }: TimeOptions) {
  return thread === undefined ? {} : { context_mode: 'reuse_thread', thread_id: thread };
}

const columns: Column<ScheduledTask>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'STATUS', of: ({ status }) => status },
  {
    title: 'WHEN',
    of: ({ schedule_spec: { cron, run_at }, timezone }) => `${String(cron ?? run_at)} ${timezone}`,
  },
  { title: 'NEXT', of: ({ next_run_at: at }) => at },
  { title: 'TITLE', of: ({ title }) => title },
  { title: 'ERROR', of: ({ last_error: error }) => error },
];

const historyColumns: Column<ScheduledTaskRun>[] = [
  { title: 'FOR', of: ({ scheduled_for: at }) => at },
  { title: 'TRIGGER', of: ({ trigger }) => trigger },
  { title: 'STATUS', of: ({ status }) => status },
  { title: 'THREAD', of: ({ thread_id: id }) => id },
  { title: 'RUN', of: ({ run_id: id }) => id },
  { title: 'ERROR', of: ({ error }) => error },
];
