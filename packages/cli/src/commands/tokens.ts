import {
  type AccessToken,
  createAccessToken,
  deleteAccessToken,
  listAccessTokens,
} from '@switchyard/contract/accounts/access-token';
import { comfyuiAddress } from '@switchyard/contract/doors/comfyui-address';
import { doorScope, type Scope, scopes } from '@switchyard/contract/endpoint';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { findGateway } from '../gateway-address.ts';
import { describeCommand } from '../help.ts';
import { wholeNumber } from '../option-values.ts';
import { type OutputOptions, printJson } from '../output.ts';
import { type PasswordOptions, withPassword } from '../password-session.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describePasswordCommand } from './describe-gateway-command.ts';
import { addListCommand } from './list-command.ts';

interface CreateOptions extends PasswordOptions, OutputOptions {
  scope?: Scope[];
  days: number;
  lasting?: true;
  address?: true;
}

export function addTokensCommand(program: Command, terminal: Terminal): void {
  const command = program.command('tokens');
  describeCommand(command, {
    purpose: 'list, create and revoke your personal access tokens',
    examples: ['switchyard tokens list', 'switchyard tokens create laptop --scope dispatch:read'],
  });
  addList(command, terminal);
  addCreate(command, terminal);
  addRevoke(command, terminal);
}

function addList(parent: Command, terminal: Terminal): void {
  addListCommand(parent, terminal, {
    purpose: 'list your tokens, without the tokens themselves',
    ask: ({ call }) => call(listAccessTokens),
    rowsOf: ({ items }) => items,
    columns,
    none: 'You have no tokens.',
  });
}

function addCreate(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('create <name>')
    .option('--scope <scope>', `what it may do: ${scopes.join(', ')}; several times for several`, scope)
    .option('--days <n>', 'how long it lasts, 1 to 3650', wholeNumber(1, 3_650), 90)
    .option('--lasting', 'it lasts until it is revoked')
    .addOption(
      new Option(
        '--address',
        'print the address for a client of ComfyUI, with a token that opens it',
      ).conflicts(['scope']),
    )
    .action(async (name: string, options: CreateOptions) => {
      const { address, days, lasting } = options;
      const { scope: given = address ? [doorScope] : ['dispatch:read', 'conversation:read'] } = options;
      const body = { name, scopes: given, expires_in_days: lasting ? null : days };
      const made = await withPassword(options, terminal, (client) =>
        client.call(createAccessToken, { body }),
      );
      if (options.output === 'json') return printJson(terminal, made);
      const { url } = findGateway(options, terminal);
      terminal.stdout.write(`${address ? comfyuiAddress(url, made.token) : made.token}\n`);
      terminal.stderr.write(
        `Token ${made.name} (${made.id}): ${made.scopes.join(', ')}. It is shown this once.\n`,
      );
    });
  describePasswordCommand(command, {
    purpose: 'create a token and print it, which happens only once (read-only by default)',
    examples: [
      'switchyard tokens create laptop --scope dispatch:read --scope dispatch:write',
      'switchyard tokens create ci --scope dispatch:write --days 7 --email me@example.com --password-stdin < password.txt',
      'switchyard tokens create krita --address',
    ],
  });
}

function addRevoke(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('revoke <id>')
    .action(async (tokenId: string, options: PasswordOptions & OutputOptions) => {
      await withPassword(options, terminal, (client) =>
        client.call(deleteAccessToken, { params: { tokenId } }),
      );
      if (options.output === 'json') printJson(terminal, { id: tokenId, revoked: true });
      else terminal.stderr.write(`${tokenId} is revoked.\n`);
    });
  describePasswordCommand(command, {
    purpose: 'revoke a token; what uses it is refused from now on',
    examples: ['switchyard tokens revoke 3f0c1d52-8a4e-4f9e-9f57-1b2c3d4e5f60'],
  });
}

function scope(text: string, before: Scope[] = []): Scope[] {
  const known = scopes.find((name) => name === text);
  if (known) return [...before, known];
  throw new InvalidArgumentError(`Write one of ${scopes.join(', ')}.`);
}

const columns: Column<AccessToken>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'NAME', of: ({ name }) => name },
  { title: 'SCOPES', of: ({ scopes: given }) => given.join(' ') },
  { title: 'EXPIRES', of: ({ expires_at: at }) => at ?? 'never' },
  { title: 'LAST USED', of: ({ last_used_at: at }) => at },
];
