import type { Readable, Writable } from 'node:stream';
import { answered } from './confirm.ts';
import { CommandError } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

export interface LoginInput {
  email: string;
  password: string;
  /** True when a person sits at the terminal and can be asked for more. */
  isAsked: boolean;
}

interface AskOptions {
  url: string;
  /** The e-mail from the command line, if it was given; then the user is not asked for it. */
  email: string | undefined;
  passwordStdin: boolean;
}

/** Far more than any password that the gateway accepts. */
const maxInput = 4_096;

const notSignedIn = 'Not signed in.';

/**
 * Asks for e-mail and password on a terminal. Scripts give the e-mail as an option and the password on standard input.
 */
export async function askLogin(options: AskOptions, terminal: Terminal): Promise<LoginInput> {
  const { email, passwordStdin } = options;
  if (!passwordStdin) return askOnTerminal(options, terminal);
  if (email === undefined) throw new CommandError('usage', '--password-stdin needs --email as well.');
  return { email, password: await readLine(terminal), isAsked: false };
}

async function askOnTerminal({ url, email }: AskOptions, { stdin, stderr }: Terminal): Promise<LoginInput> {
  if (!stdin.isTTY) {
    throw new CommandError('usage', 'There is no terminal to ask on. Use --email and --password-stdin.');
  }
  const { password, text } = await import('@clack/prompts');
  const streams = { input: stdin as Readable, output: stderr as Writable };
  const required = (value: string | undefined) => (value ? undefined : 'This is needed to sign in.');
  stderr.write(`Signing in to ${url}\n`);
  return {
    email:
      email ??
      answered(await text({ message: 'E-mail, or admin', validate: required, ...streams }), notSignedIn),
    password: answered(await password({ message: 'Password', validate: required, ...streams }), notSignedIn),
    isAsked: true,
  };
}

/**
 * Asks for a password that replaces the one that the gateway or an administrator made. Returns null when the user keeps
 * it for now.
 */
export async function askNewPassword({ stdin, stderr }: Terminal): Promise<string | null> {
  const { password } = await import('@clack/prompts');
  const streams = { input: stdin as Readable, output: stderr as Writable };
  const message = 'This is a first password. Your own, at least 8 characters (Enter keeps this one for now)';
  const first = answered(await password({ message, ...streams }), notSignedIn);
  if (!first) return null;
  const again = (value: string | undefined) => (value === first ? undefined : 'The two are not the same.');
  answered(await password({ message: 'Once more', validate: again, ...streams }), notSignedIn);
  return first;
}

async function readLine({ stdin }: Terminal): Promise<string> {
  let text = '';
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.includes('\n') || text.length > maxInput) break;
  }
  const line = text.split(/\r?\n/, 1)[0] ?? '';
  if (line === '') throw new CommandError('usage', 'There was no password on standard input.');
  return line;
}
