import { hostname } from 'node:os';
import { type Client, createClient } from '@switchyard/client/client';
import { CookieJar } from '@switchyard/client/cookie-jar';
import { ApiError } from '@switchyard/client/errors';
import { createAccessToken, deleteAccessToken } from '@switchyard/contract/accounts/access-token';
import type { Account } from '@switchyard/contract/accounts/account';
import { changePassword } from '@switchyard/contract/accounts/session';
import type { Scope } from '@switchyard/contract/endpoint';
import { isLoopbackHost } from '@switchyard/server/http/access/origin';
import type { Command } from 'commander';
import { askLogin, askNewPassword, type LoginInput } from '../ask-login.ts';
import { findGateway } from '../gateway-address.ts';
import { addUrlOption } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { type Login, Logins, loginsFolder } from '../logins.ts';
import { requireGateway } from '../open-gateway.ts';
import { plainText } from '../plain-text.ts';
import type { Terminal } from '../terminal.ts';

interface LoginOptions {
  url?: string;
  email?: string;
  passwordStdin?: true;
}

export function addLoginCommand(program: Command, terminal: Terminal): void {
  const command = addUrlOption(program.command('login'))
    .option(
      '--email <address>',
      'e-mail of the account, or admin for the first administrator (asked for when not given)',
    )
    .option('--password-stdin', 'read the password from standard input instead of asking')
    .action((options: LoginOptions) => login(options, terminal));
  describeCommand(command, {
    purpose: 'sign in and keep a token for the other commands',
    examples: [
      'switchyard login',
      'switchyard login --url https://gate.example.com',
      'switchyard login --email me@example.com --password-stdin < password.txt',
    ],
    environment: {
      SWITCHYARD_URL: 'as --url',
      XDG_CONFIG_HOME: 'where the token is kept: switchyard/logins below it',
    },
    exits: ['ok', 'usage', 'auth', 'unreachable', 'cancelled'],
  });
}

/** Asks for the login, opens a session, makes a lasting token, ends the session and stores the token. */
async function login(options: LoginOptions, terminal: Terminal): Promise<void> {
  const { url } = findGateway(options, terminal);
  const logins = new Logins(loginsFolder(terminal.env));
  warnOfPlainHttp(url, terminal);
  await requireGateway(url);
  const input = await askLogin(
    { url, email: options.email, passwordStdin: options.passwordStdin === true },
    terminal,
  );
  const client = createClient({ baseUrl: url, cookies: new CookieJar() });
  const { login: made, needsSetup } = await makeToken(client, {
    input,
    former: logins.find(url),
    terminal,
  });
  logins.save(made);
  report(made, { path: logins.pathOf(url), needsSetup }, terminal);
}

async function makeToken(
  client: Client,
  { input, former, terminal }: { input: LoginInput; former: Login | undefined; terminal: Terminal },
): Promise<{ login: Login; needsSetup: boolean }> {
  await client.session.loginWithCookies({ username: input.email, password: input.password });
  try {
    const account = await offerOwnPassword(client, input, terminal);
    const scopes: Scope[] = [
      'dispatch:read',
      'dispatch:write',
      'conversation:read',
      'conversation:write',
      'mcp',
    ];
    if (account.system_role === 'admin') scopes.push('admin');
    if (former && former.username === account.email) await deleteToken(client, former.tokenId);
    const name = `switchyard login on ${hostname()}`.slice(0, 100);
    const token = await client.call(createAccessToken, { body: { name, scopes } });
    return {
      needsSetup: account.needs_setup,
      login: {
        url: client.baseUrl,
        username: account.email,
        token: token.token,
        tokenId: token.id,
        expiresAt: token.expires_at,
        signedInAt: token.created_at,
      },
    };
  } finally {
    // The session has done its work, and the user has to see the earlier error, not one of the logout.
    await client.session.logout().catch(() => undefined);
  }
}

/**
 * Asks a user who signs in with a first password for a new one. A script is not asked, and Enter keeps the first
 * password.
 */
async function offerOwnPassword(
  client: Client,
  { password, isAsked }: LoginInput,
  terminal: Terminal,
): Promise<Account> {
  const account = await client.session.me();
  if (!account.needs_setup || !isAsked) return account;
  for (;;) {
    const chosen = await askNewPassword(terminal);
    if (chosen === null) return account;
    try {
      await client.call(changePassword, { body: { current_password: password, new_password: chosen } });
      terminal.stderr.write('The password is changed; a file that had the first one can go.\n');
      return await client.session.me();
    } catch (error) {
      const isTooWeak = error instanceof ApiError && (error.status === 400 || error.status === 422);
      if (!isTooWeak) throw error;
      terminal.stderr.write(
        `${plainText(error.message).replace(/^body\.new_password: (Value error, )?/, '')}\n`,
      );
    }
  }
}

/** Deletes the token of the last login, which is no longer needed. */
async function deleteToken(client: Client, tokenId: string): Promise<void> {
  try {
    await client.call(deleteAccessToken, { params: { tokenId } });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}

function report(
  { url, username, expiresAt }: Login,
  { path, needsSetup }: { path: string; needsSetup: boolean },
  { stderr }: Terminal,
): void {
  const until = expiresAt === null ? '' : ` until ${expiresAt.slice(0, 10)}`;
  stderr.write(`Signed in to ${url} as ${username}${until}. The token is in ${path}\n`);
  if (needsSetup) {
    stderr.write(
      'This is still the first password. Choose your own: switchyard login on a terminal asks for it.\n',
    );
  }
}

function warnOfPlainHttp(url: string, { stderr }: Terminal): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !isLoopbackHost(hostname.replace(/^\[|\]$/g, ''))) {
    stderr.write('The password travels to this gateway unencrypted; anybody on the way can read it.\n');
  }
}
