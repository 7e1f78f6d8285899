import {
  listUnreadThreads,
  markThreadRead,
  markThreadUnread,
  type ReadMark,
  type UnreadThread,
} from '@switchyard/contract/conversation/read-threads';
import type { Command } from 'commander';
import type { GatewayOptions } from '../gateway-options.ts';
import { openConversations } from '../open-gateway.ts';
import { wholeNumber } from '../option-values.ts';
import { type OutputOptions, printJson, printTable } from '../output.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';

type Options = GatewayOptions & OutputOptions;

export function addUnread(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('unread')
    .option('--limit <n>', 'how many, 1 to 100', wholeNumber(1, 100), 50)
    .option('--cursor <cursor>', 'the page that begins here')
    .action(async (options: Options & { limit: number; cursor?: string }) => {
      const { call } = await openConversations(options, terminal);
      const { limit, cursor } = options;
      const list = await call(listUnreadThreads, { query: { limit, cursor } });
      if (options.output === 'json') return printJson(terminal, list);
      printTable(terminal, { columns, rows: list.threads, none: 'You have read everything.' });
      if (list.next_cursor) terminal.stderr.write(`Older ones: --cursor ${list.next_cursor}\n`);
    });
  describeGatewayCommand(command, {
    purpose: 'list threads in which a run has ended since you read them',
    examples: ['switchyard threads unread', 'switchyard threads unread -o json'],
    exits: ['ok', 'auth', 'unreachable'],
  });
}

export function addRead(parent: Command, terminal: Terminal): void {
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

const columns: Column<UnreadThread>[] = [
  { title: 'ID', of: ({ thread_id: id }) => id },
  { title: 'ENDED', of: ({ run_ended_at: at }) => at },
  { title: 'TITLE', of: ({ title }) => title },
];
