import { type Client, createClient } from '@switchyard/client/client';
import { CookieJar } from '@switchyard/client/cookie-jar';
import type { Command } from 'commander';
import { askLogin } from './ask-login.ts';
import { findGateway } from './gateway-address.ts';
import { addUrlOption } from './gateway-options.ts';
import { Logins, loginsFolder } from './logins.ts';
import { requireGateway } from './open-gateway.ts';
import type { Terminal } from './terminal.ts';

/** The options of a command that a token may not give: it asks for the password of the caller. */
export interface PasswordOptions {
  url?: string;
  email?: string;
  passwordStdin?: true;
}

export function addPasswordOptions(command: Command): Command {
  return addUrlOption(command)
    .option('--email <address>', 'your e-mail, or admin (default: that of the login)')
    .option('--password-stdin', 'read your password from standard input instead of asking');
}

/**
 * Signs in with the password of the caller, acts, and ends the session. The gateway accepts no token for what makes
 * accounts, passwords and tokens: a stolen token could otherwise outlive itself.
 */
export async function withPassword<Result>(
  options: PasswordOptions,
  terminal: Terminal,
  act: (client: Client) => Promise<Result>,
): Promise<Result> {
  const { url } = findGateway(options, terminal);
  await requireGateway(url);
  const email = options.email ?? new Logins(loginsFolder(terminal.env)).find(url)?.username;
  const input = await askLogin({ url, email, passwordStdin: options.passwordStdin === true }, terminal);
  const client = createClient({ baseUrl: url, cookies: new CookieJar() });
  await client.session.loginWithCookies({ username: input.email, password: input.password });
  try {
    return await act(client);
  } finally {
    // The session has done its work, and the user has to see the earlier error, not one of the logout.
    await client.session.logout().catch(() => undefined);
  }
}
