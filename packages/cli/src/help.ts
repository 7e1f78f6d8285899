import type { Command } from 'commander';
import { type ExitName, exitCodes } from './exit-codes.ts';

interface HelpText {
  /** The purpose of the command, in one line. */
  purpose: string;
  /** Lines to copy. The help shows them first. */
  examples: string[];
  /** The exit codes that matter for this command. */
  exits?: ExitName[];
  /** Environment variables that matter, each with its meaning. */
  environment?: Record<string, string>;
}

/** Help with the examples first: most readers want to copy a line, not to study a table. */
export function describeCommand(
  command: Command,
  { purpose, examples, exits, environment }: HelpText,
): Command {
  command.summary(purpose);
  command.addHelpText('before', () =>
    [`${pathOf(command)}: ${purpose}`, '', ...examples.map(indent), ''].join('\n'),
  );
  if (environment) command.addHelpText('after', table('Environment:', Object.entries(environment)));
  if (exits) {
    const rows = exits.map((name): [string, string] => [
      String(exitCodes[name].code),
      exitCodes[name].meaning,
    ]);
    command.addHelpText('after', table('Exit codes:', rows));
  }
  return command;
}

function table(title: string, rows: [string, string][]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return ['', title, ...rows.map(([name, text]) => indent(`${name.padEnd(width)}  ${text}`))].join('\n');
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function indent(line: string): string {
  return `  ${line}`;
}
