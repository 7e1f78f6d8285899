import { messageText } from '@switchyard/client/conversation/message-list';
import {
  listUnreadThreads,
  markThreadRead,
  markThreadUnread,
  type ReadMark,
  type UnreadThread,
} from '@switchyard/contract/conversation/read-threads';
import type { StreamedMessage } from '@switchyard/contract/conversation/stream-frames';
import { type FoundThread, type Thread, threadStatuses } from '@switchyard/contract/conversation/thread';
import { deleteThread, getThread, searchThreads } from '@switchyard/contract/conversation/threads';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { GatewayOptions } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { questionOf } from '../interrupt-answer.ts';
import { addPageOptions, type PageOptions, sayThatMoreMayCome } from '../list-pages.ts';
import { openConversations } from '../open-gateway.ts';
import { wholeNumber } from '../option-values.ts';
import { type OutputOptions, printJson, printTable } from '../output.ts';
import { plainLines } from '../plain-text.ts';
import { type Column, details } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';
import { addExpire } from './threads-expire.ts';

const unreadColumns: Column<UnreadThread>[] = [
  { title: 'ID', of: ({ thread_id: id }) => id },
  { title: 'ENDED', of: ({ run_ended_at: at }) => at },
  { title: 'TITLE', of: ({ title }) => title },
];

type Options = GatewayOptions & OutputOptions;

interface ListOptions extends Options, PageOptions {
  status?: Thread['status'];
  metadata?: Record<string, Scalar>;
}

type Scalar = string | number | boolean | null;

export function addThreadsCommand(program: Command, terminal: Terminal): void {
  const command = program.command('threads');
  describeCommand(command, {
    purpose: 'list, show, mark as read, delete and expire conversations',
    examples: ['switchyard threads list', 'switchyard threads show 4f7c2a10-5d3e-4f57-9c7e-0d5a3f1b2c4d'],
  });
  addList(command, terminal);
  addShow(command, terminal);
  addUnread(command, terminal);
  addRead(command, terminal);
  addDelete(command, terminal);
  addExpire(command, terminal);
}

function addList(parent: Command, terminal: Terminal): void {
  const listing = parent
    .command('list')
    .addOption(new Option('--status <status>', 'only these').choices([...threadStatuses]))
    .option('--metadata <key=value>', 'only those with this metadata; several times for several', entry);
  const command = addPageOptions(listing, 1_000).action(async (options: ListOptions) => {
    const { call } = await openConversations(options, terminal);
    const { status, metadata, limit, offset } = options;
    const threads = await call(searchThreads, { body: { status, metadata, limit, offset } });
    if (options.output === 'json') return printJson(terminal, threads);
    printTable(terminal, { columns, rows: threads, none: 'There are no such threads.' });
    sayThatMoreMayCome(threads.length, { limit, offset }, terminal);
  });
  describeGatewayCommand(command, {
    purpose: 'list your threads, the last changed first',
    examples: [
      'switchyard threads list --status interrupted',
      'switchyard threads list --metadata topic=cats',
    ],
    exits: ['ok', 'usage', 'auth', 'unreachable'],
  });
}

function addShow(parent: Command, terminal: Terminal): void {
  const command = parent.command('show <id>').action(async (thread_id: string, options: Options) => {
    const { call } = await openConversations(options, terminal);
    const thread = await call(getThread, { params: { thread_id } });
    if (options.output === 'json') printJson(terminal, thread);
    else terminal.stdout.write(describeThread(thread));
  });
  describeGatewayCommand(command, {
    purpose: 'show one thread with its messages',
    examples: ['switchyard threads show 4f7c2a10-5d3e-4f57-9c7e-0d5a3f1b2c4d'],
    exits: ['ok', 'auth', 'not_found', 'unreachable'],
  });
}

function addDelete(parent: Command, terminal: Terminal): void {
  const command = parent.command('delete <ids...>').action(async (ids: string[], options: Options) => {
    const { call } = await openConversations(options, terminal);
    const deleted: { thread_id: string; message: string }[] = [];
    for (const thread_id of ids) {
      const { message } = await call(deleteThread, { params: { thread_id } });
      deleted.push({ thread_id, message });
      if (options.output !== 'json') terminal.stderr.write(`${plainLines(message)}\n`);
    }
    if (options.output === 'json') printJson(terminal, deleted);
  });
  describeGatewayCommand(command, {
    purpose: 'delete threads with everything in them: runs, events, feedback, files',
    examples: ['switchyard threads delete 4f7c2a10-5d3e-4f57-9c7e-0d5a3f1b2c4d'],
    exits: ['ok', 'auth', 'not_found', 'conflict', 'unreachable'],
  });
}

const columns: Column<FoundThread>[] = [
  { title: 'ID', of: ({ thread_id = null }) => thread_id },
  { title: 'STATUS', of: ({ status = null }) => status },
  { title: 'UPDATED', of: ({ updated_at = null }) => updated_at },
  { title: 'TITLE', of: ({ title = null }) => title },
];

function describeThread(thread: Thread): string {
  const { values, interrupts } = thread;
  const waitsFor = Object.values(interrupts).flat();
  const facts = details([
    ['id', thread.thread_id],
    ['title', thread.title],
    ['status', thread.status],
    ['assistant', thread.assistant_id],
    ['created', thread.created_at],
    ['updated', thread.updated_at],
    ['metadata', Object.keys(thread.metadata).length === 0 ? null : JSON.stringify(thread.metadata)],
    ['error', thread.error],
    ['waits for', waitsFor.length === 0 ? null : questionOf(waitsFor)],
  ]);
  return facts + messagesOf(values).map(printedMessage).join('');
}

function messagesOf({ messages }: Record<string, unknown>): StreamedMessage[] {
  return Array.isArray(messages) ? (messages as StreamedMessage[]) : [];
}

function printedMessage(message: StreamedMessage): string {
  const text = plainLines(messageText(message));
  const calls = (message.tool_calls ?? []).map(({ name, args }) => `→ ${name} ${JSON.stringify(args)}`);
  const lines = [text, ...calls.map(plainLines)].filter((line) => line !== '');
  return lines.length === 0 ? '' : `\n[${speaker(message)}]\n${lines.join('\n')}\n`;
}

function speaker({ type, name }: StreamedMessage): string {
  if (type === 'human') return 'you';
  return type === 'tool' && name ? `tool ${name}` : type;
}

/** A value that is valid JSON is read as JSON: `--metadata pinned=true`. */
function entry(text: string, before: Record<string, Scalar> = {}): Record<string, Scalar> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Write key=value.');
  return { ...before, [text.slice(0, at)]: scalar(text.slice(at + 1)) };
}

function scalar(text: string): Scalar {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? text : (value as Scalar);
  } catch {
    return text;
  }
}

function addUnread(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('unread')
    .option('--limit <n>', 'how many, 1 to 100', wholeNumber(1, 100), 50)
    .option('--cursor <cursor>', 'the page that begins here')
    .action(async (options: Options & { limit: number; cursor?: string }) => {
      const { call } = await openConversations(options, terminal);
      const { limit, cursor } = options;
      const list = await call(listUnreadThreads, { query: { limit, cursor } });
      if (options.output === 'json') return printJson(terminal, list);
      printTable(terminal, { columns: unreadColumns, rows: list.threads, none: 'You have read everything.' });
      if (list.next_cursor) terminal.stderr.write(`Older ones: --cursor ${list.next_cursor}\n`);
    });
  describeGatewayCommand(command, {
    purpose: 'list threads in which a run has ended since you read them',
    examples: ['switchyard threads unread', 'switchyard threads unread -o json'],
    exits: ['ok', 'auth', 'unreachable'],
  });
}

function addRead(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('read <ids...>')
    .option('--undo', 'mark them as unread')
    .action(async (ids: string[], options: Options & { undo?: true }) => {
      const { call } = await openConversations(options, terminal);
      const marks: ReadMark[] = [];
      for (const thread_id of ids) {
        const params = { thread_id };
        marks.push(
          options.undo
            ? await call(markThreadUnread, { params })
            : await call(markThreadRead, { params, body: {} }),
        );
      }
      if (options.output === 'json') return printJson(terminal, marks);
      for (const { thread_id, unread } of marks)
        terminal.stderr.write(`${thread_id} is ${unread ? 'unread' : 'read'}.\n`);
    });
  describeGatewayCommand(command, {
    purpose: 'mark threads as read',
    examples: ['switchyard threads read 4f7c2a10-5d3e-4f57-9c7e-0d5a3f1b2c4d'],
  });
}
