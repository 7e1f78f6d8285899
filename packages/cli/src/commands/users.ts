import type { Client } from '@switchyard/client/client';
import { type Role, roles } from '@switchyard/contract/accounts/account';
import {
  createUser,
  deleteUser,
  listUsers,
  resetUserPassword,
  type User,
  updateUser,
} from '@switchyard/contract/accounts/user';
import { Argument, type Command, Option } from 'commander';
import { CommandError } from '../exit-codes.ts';
import type { GatewayOptions } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { addPageOptions, type PageOptions, sayHowToGoOn } from '../list-pages.ts';
import { openConversations } from '../open-gateway.ts';
import { type OutputOptions, printJson, printTable } from '../output.ts';
import { type PasswordOptions, withPassword } from '../password-session.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand, describePasswordCommand } from './describe-gateway-command.ts';
import { addSwitchCommands } from './switch-commands.ts';

type Options = PasswordOptions & OutputOptions;

interface ListOptions extends GatewayOptions, OutputOptions, PageOptions {
  search?: string;
}

export function addUsersCommand(program: Command, terminal: Terminal): void {
  const command = program.command('users');
  describeCommand(command, {
    purpose: 'list, add, disable, enable and delete accounts; roles and passwords (administrators)',
    examples: ['switchyard users list', 'switchyard users add second@studio.example --role user'],
  });
  addList(command, terminal);
  addAdd(command, terminal);
  addSwitches(command, terminal);
  addSetRole(command, terminal);
  addResetPassword(command, terminal);
  addDelete(command, terminal);
}

function addList(parent: Command, terminal: Terminal): void {
  const listing = parent.command('list').option('--search <text>', 'part of the e-mail address');
  const command = addPageOptions(listing, 200).action(async (options: ListOptions) => {
    const { call } = await openConversations(options, terminal);
    const { search: q, limit, offset } = options;
    const list = await call(listUsers, { query: { q, limit, offset } });
    if (options.output === 'json') return printJson(terminal, list);
    printTable(terminal, { columns, rows: list.items, none: 'There are no such accounts.' });
    sayHowToGoOn(list, { noun: 'accounts', offset }, terminal);
  });
  describeGatewayCommand(command, {
    purpose: 'list accounts, the oldest first',
    examples: ['switchyard users list', 'switchyard users list --search studio -o json'],
  });
}

function addAdd(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('add <email>')
    .addOption(new Option('--role <role>', 'what the account may do').choices([...roles]).default('user'))
    .action(async (email: string, options: Options & { role: Role }) => {
      const made = await withPassword(options, terminal, (client) =>
        client.call(createUser, { body: { email, system_role: options.role } }),
      );
      printPassword(made, options, terminal);
    });
  describe(command, {
    purpose: 'create an account and print its one-time password, which is shown only once',
    examples: [
      'switchyard users add second@studio.example',
      'switchyard users add boss@studio.example --role admin',
    ],
  });
}

function addSwitches(parent: Command, terminal: Terminal): void {
  addSwitchCommands(parent, {
    argument: '<user>',
    example: 'second@studio.example',
    purposes: {
      enable: 'let a disabled account sign in again',
      disable: 'refuse an account, and end its sessions',
    },
    describe,
    act: async (named, enabled, options: Options) => {
      const user = await change(named, options, terminal, { disabled: !enabled });
      if (options.output === 'json') printJson(terminal, user);
      else terminal.stderr.write(`${user.email} is ${user.disabled ? 'disabled' : 'enabled'}.\n`);
    },
  });
}

function addSetRole(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('set-role <user>')
    .addArgument(new Argument('<role>', 'what the account may do').choices([...roles]))
    .action(async (named: string, role: Role, options: Options) => {
      const user = await change(named, options, terminal, { system_role: role });
      if (options.output === 'json') printJson(terminal, user);
      else terminal.stderr.write(`${user.email} has the role ${user.system_role}.\n`);
    });
  describe(command, {
    purpose: 'make an account an administrator, or an ordinary user again',
    examples: ['switchyard users set-role second@studio.example admin'],
  });
}

function addResetPassword(parent: Command, terminal: Terminal): void {
  const command = parent.command('reset-password <user>').action(async (named: string, options: Options) => {
    const user = await withPassword(options, terminal, async (client) => {
      const { id } = await findUser(client, named);
      return client.call(resetUserPassword, { params: { userId: id } });
    });
    printPassword(user, options, terminal);
  });
  describe(command, {
    purpose: 'give an account a new one-time password, and end its sessions',
    examples: ['switchyard users reset-password second@studio.example'],
  });
}

function addDelete(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('delete <user>')
    .action(async (named: string, options: GatewayOptions & OutputOptions) => {
      const client = await openConversations(options, terminal);
      const { id, email } = await findUser(client, named);
      const { message } = await client.call(deleteUser, { params: { userId: id } });
      if (options.output === 'json') printJson(terminal, { id, email, message });
      else terminal.stderr.write(`${email} is deleted.\n`);
    });
  describeGatewayCommand(command, {
    purpose: 'delete an account with what belongs to it',
    examples: ['switchyard users delete second@studio.example'],
    exits: ['ok', 'auth', 'not_found', 'conflict', 'unreachable'],
  });
}

function describe(command: Command, text: Parameters<typeof describeCommand>[1]): void {
  describePasswordCommand(command, {
    exits: ['ok', 'usage', 'auth', 'not_found', 'conflict', 'unreachable', 'cancelled'],
    ...text,
  });
}

async function change(
  named: string,
  options: Options,
  terminal: Terminal,
  body: { disabled: boolean } | { system_role: Role },
): Promise<User> {
  return withPassword(options, terminal, async (client) => {
    const { id } = await findUser(client, named);
    return client.call(updateUser, { params: { userId: id }, body });
  });
}

/** Accepts the id or the whole e-mail address. */
async function findUser(
  { call }: Pick<Client, 'call'>,
  named: string,
): Promise<{ id: string; email: string }> {
  if (!named.includes('@')) return { id: named, email: named };
  const { items } = await call(listUsers, { query: { q: named, limit: 200 } });
  const found = items.find(({ email }) => email.toLowerCase() === named.toLowerCase());
  if (found) return found;
  throw new CommandError(
    'not_found',
    `There is no account ${named}. See which there are: switchyard users list`,
  );
}

/** The password alone goes to standard output, so that a script can pass it on. */
function printPassword(
  user: User & { one_time_password: string },
  options: OutputOptions,
  terminal: Terminal,
): void {
  if (options.output === 'json') {
    printJson(terminal, user);
    return;
  }
  terminal.stdout.write(`${user.one_time_password}\n`);
  terminal.stderr.write(
    `The one-time password of ${user.email}. The user has to choose another one at the first sign-in.\n`,
  );
}

const columns: Column<User>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'E-MAIL', of: ({ email }) => email },
  { title: 'ROLE', of: ({ system_role: role }) => role },
  {
    title: 'STATE',
    of: ({ disabled, needs_setup: isNew }) => (disabled ? 'disabled' : isNew ? 'first password' : 'ok'),
  },
  { title: 'CREATED', of: ({ created_at: at }) => at },
];
