import type { Readable, Writable } from 'node:stream';
import { CommandError } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** Asks before something is done to many things. A script has to pass --yes. */
export async function confirm(message: string, { stdin, stderr }: Terminal): Promise<void> {
  if (!stdin.isTTY) throw new CommandError('usage', `${message} There is no terminal to ask on. Add --yes.`);
  const prompts = await import('@clack/prompts');
  const streams = { input: stdin as Readable, output: stderr as Writable };
  const answer = await prompts.confirm({ message, initialValue: false, ...streams });
  if (answer !== true) throw new CommandError('cancelled', 'Nothing was done.');
}

/** Returns what was typed or chosen. A prompt gives a symbol for Ctrl-C, which ends the command with `otherwise`. */
export function answered<Answer>(answer: Answer, otherwise: string): Exclude<Answer, symbol> {
  if (typeof answer !== 'symbol') return answer as Exclude<Answer, symbol>;
  throw new CommandError('cancelled', otherwise);
}
