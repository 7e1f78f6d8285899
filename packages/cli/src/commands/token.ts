import type { Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import { findGateway } from '../gateway-address.ts';
import { addUrlOption } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import type { Terminal } from '../terminal.ts';

export function addTokenCommand(program: Command, terminal: Terminal): void {
  const command = addUrlOption(program.command('token')).action((options: { url?: string }) => {
    const { url, token } = findGateway(options, terminal);
    if (token === undefined) {
      throw new CommandError('auth', `You are not signed in to ${url}. Sign in with: switchyard login`);
    }
    terminal.stdout.write(`${token}\n`);
  });
  describeCommand(command, {
    purpose: 'print the token of your login, for other programs such as curl',
    examples: [
      'ACCESS_TOKEN=$(switchyard token)',
      'curl -H "authorization: Bearer $(switchyard token)" http://127.0.0.1:7300/api/tasks',
    ],
    environment: { SWITCHYARD_URL: 'as --url', SWITCHYARD_TOKEN: 'printed in place of that of the login' },
    exits: ['ok', 'usage', 'auth'],
  });
}
