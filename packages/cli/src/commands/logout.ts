import { createClient } from '@switchyard/client/client';
import type { Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import { findGateway } from '../gateway-address.ts';
import { addUrlOption } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { Logins, loginsFolder } from '../logins.ts';
import type { Terminal } from '../terminal.ts';

export function addLogoutCommand(program: Command, terminal: Terminal): void {
  const command = addUrlOption(program.command('logout')).action((options: { url?: string }) =>
    logout(options, terminal),
  );
  describeCommand(command, {
    purpose: 'delete the token that login made, at the gateway and here',
    examples: ['switchyard logout', 'switchyard logout --url https://gate.example.com'],
    environment: { SWITCHYARD_URL: 'as --url' },
    exits: ['ok', 'not_found', 'unreachable'],
  });
}

async function logout(options: { url?: string }, terminal: Terminal): Promise<void> {
  const { url } = findGateway(options, terminal);
  const logins = new Logins(loginsFolder(terminal.env));
  const login = logins.find(url);
  if (!login) throw new CommandError('not_found', `There is no login to ${url}.`);
  await createClient({ baseUrl: login.url, token: login.token }).session.logout();
  logins.remove(url);
  terminal.stderr.write(`Signed out of ${url}.\n`);
}
