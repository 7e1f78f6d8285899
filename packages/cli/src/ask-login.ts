import type { Readable, Writable } from 'node:stream';
import { CommandError } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

export interface LoginInput {
  email: string;
  password: string;
}

interface AskOptions {
  url: string;
  /** From the command line: not asked for. */
  email: string | undefined;
  passwordStdin: boolean;
}

/** Far beyond any password that the gateway takes. */
const longestInput = 4_096;

/** E-mail and password, asked for on a terminal. For scripts the one is an option, the other comes by standard input. */
export async function askLogin(options: AskOptions, terminal: Terminal): Promise<LoginInput> {
  const { email, passwordStdin } = options;
  if (!passwordStdin) return askOnTerminal(options, terminal);
  if (email === undefined) throw new CommandError('usage', '--password-stdin needs --email as well.');
  return { email, password: await readLine(terminal) };
}

async function askOnTerminal({ url, email }: AskOptions, { stdin, stderr }: Terminal): Promise<LoginInput> {
  if (!stdin.isTTY) {
    throw new CommandError('usage', 'There is no terminal to ask on. Use --email and --password-stdin.');
  }
  const { password, text } = await import('@clack/prompts');
  const streams = { input: stdin as Readable, output: stderr as Writable };
  const answered = (answer: string | symbol): string => {
    // The symbol stands for Ctrl-C.
    if (typeof answer === 'string') return answer;
    throw new CommandError('cancelled', 'Not signed in.');
  };
  const required = (value: string | undefined) => (value ? undefined : 'This is needed to sign in.');
  stderr.write(`Signing in to ${url}\n`);
  return {
    email: email ?? answered(await text({ message: 'E-mail', validate: required, ...streams })),
    password: answered(await password({ message: 'Password', validate: required, ...streams })),
  };
}

async function readLine({ stdin }: Terminal): Promise<string> {
  let text = '';
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.includes('\n') || text.length > longestInput) break;
  }
  const line = text.split(/\r?\n/, 1)[0] ?? '';
  if (line === '') throw new CommandError('usage', 'There was no password on standard input.');
  return line;
}
