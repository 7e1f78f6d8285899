import type { Client } from '@switchyard/client/client';
import type { Command } from 'commander';
import type { GatewayOptions } from '../gateway-options.ts';
import { openConversations } from '../open-gateway.ts';
import { type OutputOptions, printJson, printTable } from '../output.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';

interface ListCommand<Answer, Row> {
  purpose: string;
  open?: typeof openConversations;
  ask: (client: Client) => Promise<Answer>;
  rowsOf: (answer: Answer) => readonly Row[];
  columns: readonly Column<Row>[];
  /** The message when there are no rows. */
  none: string;
}

/** Adds `list` for a list that has one page: the answer as JSON, or its rows as a table. */
export function addListCommand<Answer, Row>(
  parent: Command,
  terminal: Terminal,
  { purpose, open = openConversations, ask, rowsOf, columns, none }: ListCommand<Answer, Row>,
): void {
  const command = parent.command('list').action(async (options: GatewayOptions & OutputOptions) => {
    const answer = await ask(await open(options, terminal));
    if (options.output === 'json') printJson(terminal, answer);
    else printTable(terminal, { columns, rows: rowsOf(answer), none });
  });
  const line = `switchyard ${parent.name()} list`;
  describeGatewayCommand(command, {
    purpose,
    examples: [line, `${line} -o json`],
    exits: ['ok', 'auth', 'unreachable'],
  });
}
