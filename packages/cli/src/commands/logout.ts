import { createClient } from '@switchyard/client/client';
import { ApiError } from '@switchyard/client/errors';
import { deleteAccessToken } from '@switchyard/contract/accounts/access-token';
import type { Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import { findGateway } from '../gateway-address.ts';
import { addUrlOption } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { type Login, Logins, loginsFolder } from '../logins.ts';
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
  await deleteAtGateway(login);
  logins.remove(url);
  terminal.stderr.write(`Signed out of ${url}.\n`);
}

/** A token that the gateway no longer accepts needs no deleting. */
async function deleteAtGateway({ url, token, tokenId }: Login): Promise<void> {
  try {
    const client = createClient({ baseUrl: url, token });
    await client.call(deleteAccessToken, { params: { tokenId } });
  } catch (error) {
    if (!(error instanceof ApiError && (error.status === 401 || error.status === 404))) throw error;
  }
}
