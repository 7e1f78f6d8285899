import { textOf } from '@switchyard/client/conversation/message-list';
import { cancelActions, type Run, runStatuses } from '@switchyard/contract/conversation/run';
import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { listRunEvents } from '@switchyard/contract/conversation/run-events';
import { cancelRun, getRun, listRuns } from '@switchyard/contract/conversation/runs';
import type { StreamedMessage } from '@switchyard/contract/conversation/stream-frames';
import { type Command, Option } from 'commander';
import { cut } from '../chat-events.ts';
import { addGatewayOptions, type GatewayOptions, gatewayEnvironment } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { addPageOptions, type PageOptions, sayThatMoreMayCome } from '../list-pages.ts';
import { openConversations } from '../open-gateway.ts';
import { collected, wholeNumber } from '../option-values.ts';
import { type OutputOptions, printJson, printTable } from '../output.ts';
import { type Column, details } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';
import { addExportOfRun } from './runs-export.ts';
import { addTimelineOfRun } from './runs-timeline.ts';
import { addWhyOfRun } from './runs-why.ts';

type Options = GatewayOptions & OutputOptions;

interface ListOptions extends Options, PageOptions {
  status?: Run['status'];
}

interface EventsOptions extends Options {
  type?: string[];
  limit: number;
  after?: number;
}

interface CancelOptions extends GatewayOptions {
  action: (typeof cancelActions)[number];
  wait?: true;
}

const ids = '4f7c2a10-5d3e-4f57-9c7e-0d5a3f1b2c4d 0196a1b2-0000-7000-8000-000000000000';

export function addRunsCommand(program: Command, terminal: Terminal): void {
  const command = program.command('runs');
  describeCommand(command, {
    purpose: 'list, show and cancel runs of agents, and read what happened in them',
    examples: ['switchyard runs list 4f7c2a10-5d3e-4f57-9c7e-0d5a3f1b2c4d', `switchyard runs events ${ids}`],
  });
  addList(command, terminal);
  addShow(command, terminal);
  addEvents(command, terminal);
  addWhyOfRun(command, terminal);
  addTimelineOfRun(command, terminal);
  addExportOfRun(command, terminal);
  addCancel(command, terminal);
}

function addList(parent: Command, terminal: Terminal): void {
  const listing = parent
    .command('list <thread>')
    .addOption(new Option('--status <status>', 'only these').choices([...runStatuses]));
  const command = addPageOptions(listing, 1_000).action(async (thread_id: string, options: ListOptions) => {
    const { call } = await openConversations(options, terminal);
    const { status, limit, offset } = options;
    const runs = await call(listRuns, { params: { thread_id }, query: { status, limit, offset } });
    if (options.output === 'json') return printJson(terminal, runs);
    printTable(terminal, { columns, rows: runs, none: 'There are no such runs.' });
    sayThatMoreMayCome(runs.length, { limit, offset }, terminal);
  });
  describeGatewayCommand(command, {
    purpose: 'list the runs of a thread, the newest first',
    examples: ['switchyard runs list 4f7c2a10-5d3e-4f57-9c7e-0d5a3f1b2c4d --status error -o json'],
    exits: ['ok', 'usage', 'auth', 'not_found', 'unreachable'],
  });
}

function addShow(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('show <thread> <run>')
    .action(async (thread_id: string, run_id: string, options: Options) => {
      const { call } = await openConversations(options, terminal);
      const run = await call(getRun, { params: { thread_id, run_id } });
      if (options.output === 'json') printJson(terminal, run);
      else terminal.stdout.write(describeRun(run));
    });
  describeGatewayCommand(command, {
    purpose: 'show one run with its tokens',
    examples: [`switchyard runs show ${ids}`],
    exits: ['ok', 'auth', 'not_found', 'unreachable'],
  });
}

function addEvents(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('events <thread> <run>')
    .option('--type <type>', 'only these, as ai_message; several times for several', collected)
    .option('--limit <n>', 'how many, 1 to 2000', wholeNumber(1, 2_000), 500)
    .option('--after <seq>', 'those after this one', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .action(async (thread_id: string, run_id: string, options: EventsOptions) => {
      const { call } = await openConversations(options, terminal);
      const { type, limit, after: after_seq } = options;
      const query = { event_types: type?.join(','), limit, after_seq };
      const events = await call(listRunEvents, { params: { thread_id, run_id }, query });
      if (options.output === 'json') return printJson(terminal, events);
      printTable(terminal, { columns: eventColumns, rows: events, none: 'There are no such events.' });
      const last = events.at(-1);
      if (events.length === limit && last)
        terminal.stderr.write(`There may be more; the next ones: --after ${last.seq}\n`);
    });
  describeGatewayCommand(command, {
    purpose: 'what happened in a run, as it is stored; whole with -o json',
    examples: [`switchyard runs events ${ids}`, `switchyard runs events ${ids} --type tool_result -o json`],
    exits: ['ok', 'usage', 'auth', 'not_found', 'unreachable'],
  });
}

function addCancel(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('cancel <thread> <run>')
    .addOption(
      new Option('--action <action>', 'keep what it has done, or bring the state back to before it')
        .choices([...cancelActions])
        .default('interrupt'),
    )
    .option('--wait', 'until it has ended')
    .action(async (thread_id: string, run_id: string, { action, wait, ...options }: CancelOptions) => {
      const { call } = await openConversations(options, terminal);
      await call(cancelRun, { params: { thread_id, run_id }, query: { action, wait: wait ? '1' : '0' } });
      terminal.stderr.write(wait ? `Run ${run_id} is cancelled.\n` : `Run ${run_id} is told to stop.\n`);
    });
  addGatewayOptions(command);
  describeCommand(command, {
    purpose: 'cancel a run; cancelling it again is fine',
    examples: [`switchyard runs cancel ${ids} --wait`],
    environment: gatewayEnvironment,
    exits: ['ok', 'auth', 'not_found', 'conflict', 'unreachable'],
  });
}

const columns: Column<Partial<Run>>[] = [
  { title: 'ID', of: ({ run_id = null }) => run_id },
  { title: 'STATUS', of: ({ status = null }) => status },
  { title: 'MESSAGES', of: ({ message_count = null }) => message_count },
  { title: 'TOKENS', of: ({ total_tokens = null }) => total_tokens },
  { title: 'CREATED', of: ({ created_at = null }) => created_at },
  {
    title: 'FIRST MESSAGE',
    of: ({ first_human_message = null }) => first_human_message?.slice(0, 60) ?? null,
  },
];

const eventColumns: Column<RunEvent>[] = [
  { title: 'SEQ', of: ({ seq }) => seq },
  { title: 'TYPE', of: ({ event_type }) => event_type },
  { title: 'CATEGORY', of: ({ category }) => category },
  { title: 'CREATED', of: ({ created_at }) => created_at },
  { title: 'CONTENT', of: ({ content }) => cut(contentText(content)) },
];

/** Shows a message by its text, and anything else as JSON. */
function contentText(content: unknown): unknown {
  if (typeof content !== 'object' || content === null || !('content' in content)) return content;
  const text = textOf(content as StreamedMessage);
  return text === '' ? content : text;
}

function describeRun(run: Run): string {
  const tokens = `${run.total_tokens} (${run.total_input_tokens} in, ${run.total_output_tokens} out)`;
  return details([
    ['id', run.run_id],
    ['thread', run.thread_id],
    ['assistant', run.assistant_id],
    ['status', run.status],
    ['attempt', run.attempt],
    ['error', run.error],
    ['model', run.model_name],
    ['messages', run.message_count],
    ['model calls', run.llm_call_count],
    ['tokens', tokens],
    ...Object.entries(run.token_usage_by_model).map(([model, usage]): [string, string] => [
      `  ${model}`,
      `${usage.tokens} in ${usage.calls} calls`,
    ]),
    ['follows', run.follow_up_to_run_id],
    ['created', run.created_at],
    ['starts at', run.run_at],
    ['started', run.started_at],
    ['ended', run.ended_at],
    ['asked', run.first_human_message],
    ['answered', run.last_ai_message],
  ]);
}
