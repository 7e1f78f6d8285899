import type { Command } from 'commander';
import { describeCommand } from '../help.ts';
import type { Terminal } from '../terminal.ts';
import { version } from '../version.ts';

export function addVersionCommand(program: Command, { stdout }: Terminal): void {
  const command = program.command('version').action(() => {
    stdout.write(
      `switchyard ${version}  node ${process.versions.node}  ${process.platform}-${process.arch}\n`,
    );
  });
  describeCommand(command, {
    purpose: 'print versions, for a bug report',
    examples: ['switchyard version', 'switchyard --version   # the number alone'],
  });
}
