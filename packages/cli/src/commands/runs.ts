import { exportRun } from '@switchyard/client/conversation/export-run';
import { messageText } from '@switchyard/client/conversation/message-list';
import { cancelActions, type Run, runStatuses } from '@switchyard/contract/conversation/run';
import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { listRunEvents } from '@switchyard/contract/conversation/run-events';
import { whyRun } from '@switchyard/contract/conversation/run-why';
import { cancelRun, getRun, listRuns } from '@switchyard/contract/conversation/runs';
import type { StreamedMessage } from '@switchyard/contract/conversation/stream-frames';
import { getRunTimeline } from '@switchyard/contract/conversation/timeline';
import { type Command, Option } from 'commander';
import { cut } from '../chat-events.ts';
import { addGatewayOptions, type GatewayOptions, gatewayEnvironment } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { addPageOptions, type PageOptions, sayThatMoreMayCome } from '../list-pages.ts';
import { openConversations } from '../open-gateway.ts';
import { collected, wholeNumber } from '../option-values.ts';
import { addOutputOption, type OutputOptions, printJson, printTable } from '../output.ts';
import { type Column, details } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { limitOption, printTimeline, type TimelineOptions } from '../timeline-output.ts';
import { treeSpanOfRun } from '../timeline-view.ts';
import { wholeTimeline } from '../whole-timeline.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';

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
    purpose: 'show what happened in a run, as it is stored; in full with -o json',
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
  const text = messageText(content as StreamedMessage);
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

interface ExportOptions extends GatewayOptions {
  pictures: boolean;
}

function addExportOfRun(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('export <thread> <run>')
    .option('--no-pictures', 'leave out the small pictures of what its tasks have made')
    .action(async (threadId: string, runId: string, { pictures, ...options }: ExportOptions) => {
      const gateway = await openConversations(options, terminal);
      const file = await exportRun(gateway, { threadId, runId, withPictures: pictures });
      terminal.stdout.write(`${JSON.stringify(file)}\n`);
      const { events, spans, cut } = file;
      if (file.live) terminal.stderr.write('The run goes on; this is its beginning.\n');
      if (cut.events) terminal.stderr.write(`There are more; the first ${events.length} events are in it.\n`);
      if (cut.spans) terminal.stderr.write(`There are more; the first ${spans.length} spans are in it.\n`);
      if (cut.pictures) terminal.stderr.write('There are more pictures than a file holds.\n');
    });
  addGatewayOptions(command);
  describeCommand(command, {
    purpose:
      'write a run as one JSON file: its events, its timeline and small pictures; the console opens it',
    examples: [`switchyard runs export ${ids} > run.json`],
    environment: gatewayEnvironment,
    exits: ['ok', 'usage', 'auth', 'not_found', 'unreachable'],
  });
}

function addTimelineOfRun(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('timeline <thread> <run>')
    .addOption(limitOption())
    .action(async (thread_id: string, run_id: string, options: GatewayOptions & TimelineOptions) => {
      const { call } = await openConversations(options, terminal);
      const timeline = await wholeTimeline(options.limit, async (query) => {
        const page = await call(getRunTimeline, { params: { thread_id, run_id }, query });
        return { spans: page.spans, nextCursor: page.next_cursor };
      });
      printTimeline(timeline, { options, show: treeSpanOfRun, terminal });
    });
  addOutputOption(addGatewayOptions(command));
  describeCommand(command, {
    purpose: 'show what a run did on one time axis: models, tools, sub-agents, tasks and their nodes',
    examples: [`switchyard runs timeline ${ids}`, `switchyard runs timeline ${ids} -o json`],
    environment: gatewayEnvironment,
    exits: ['ok', 'usage', 'auth', 'not_found', 'unreachable'],
  });
}

function addWhyOfRun(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('why <thread> <run>')
    .action(async (thread_id: string, run_id: string, options: GatewayOptions & OutputOptions) => {
      const { call } = await openConversations(options, terminal);
      const why = await call(whyRun, { params: { thread_id, run_id } });
      if (options.output === 'json') return printJson(terminal, why);
      terminal.stdout.write(`${why.waiting}\n`);
      const facts = details([
        ['position', why.position],
        ['starts', why.starts_at],
        ...why.tasks.map(({ task_id, waiting }): [string, string] => ['task', `${task_id}  ${waiting}`]),
      ]);
      if (facts !== '') terminal.stdout.write(`\n${facts}`);
    });
  addOutputOption(addGatewayOptions(command));
  describeCommand(command, {
    purpose: 'say what a run waits for',
    examples: [`switchyard runs why ${ids}`],
    environment: gatewayEnvironment,
    exits: ['ok', 'auth', 'not_found', 'unreachable'],
  });
}
