import { type Command, Option } from 'commander';
import { type Column, table } from './table.ts';
import type { Output, Terminal } from './terminal.ts';

export interface OutputOptions {
  output: 'table' | 'json';
}

/** For commands that print data. Commands whose `-o` names a folder (run, files download) have `--json` instead. */
export function addOutputOption(command: Command): Command {
  const option = new Option('-o, --output <format>', 'how to print').choices(['table', 'json']);
  return command.addOption(option.default('table'));
}

export function printJson({ stdout }: Pick<Terminal, 'stdout'>, value: unknown): void {
  stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints nothing on standard output when there are no rows, so that a script that counts lines is right. */
export function printTable<Row>(
  { stdout, stderr }: Pick<Terminal, 'stdout' | 'stderr'>,
  { columns, rows, none }: { columns: readonly Column<Row>[]; rows: readonly Row[]; none: string },
): void {
  if (rows.length === 0) stderr.write(`${none}\n`);
  else stdout.write(table(columns, rows, columnsOf(stdout)));
}

/** A script gets the full text. */
function columnsOf({ isTTY, columns }: Output): number {
  return isTTY === true && columns ? columns : Number.POSITIVE_INFINITY;
}
