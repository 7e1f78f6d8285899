import type { Command } from 'commander';
import { wholeNumber } from './option-values.ts';
import type { Terminal } from './terminal.ts';

export interface PageOptions {
  limit: number;
  offset: number;
}

const maxOffset = 2_147_483_647;

export function addPageOptions(command: Command, maxLimit: number): Command {
  return command
    .option('--limit <n>', `how many, 1 to ${maxLimit}`, wholeNumber(1, maxLimit), 50)
    .option('--offset <n>', 'how many to skip', wholeNumber(0, maxOffset), 0);
}

/** Says below a page of a list how many there are and how to get the next ones. */
export function sayHowToGoOn(
  { items, total }: { items: readonly unknown[]; total: number },
  { noun, offset }: { noun: string; offset: number },
  { stderr }: Terminal,
): void {
  const shown = offset + items.length;
  if (items.length === 0 || shown >= total) return;
  stderr.write(`${shown} of ${total} ${noun}; the next ones: --offset ${shown}\n`);
}

/** Does the same for a list whose length is not known. */
export function sayThatMoreMayCome(
  shown: number,
  { limit, offset }: PageOptions,
  { stderr }: Terminal,
): void {
  if (shown === limit) stderr.write(`There may be more; the next ones: --offset ${offset + limit}\n`);
}
