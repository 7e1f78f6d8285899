import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addPageOptions, sayHowToGoOn, sayThatMoreMayCome } from './list-pages.ts';
import type { Terminal } from './terminal.ts';

function textOf(say: (terminal: Terminal) => void): string {
  const chunks: string[] = [];
  const stderr = { write: (chunk: string) => chunks.push(chunk) };
  say({ stderr } as unknown as Terminal);
  return chunks.join('');
}

describe('a page of a list', () => {
  it('is the first 50 unless the options say otherwise', () => {
    const command = addPageOptions(new Command('list'), 200);
    expect(command.parse([], { from: 'user' }).opts()).toEqual({ limit: 50, offset: 0 });
    command.parse(['--limit', '200', '--offset', '7'], { from: 'user' });
    expect(command.opts()).toEqual({ limit: 200, offset: 7 });
  });

  it('says how many there are and how to get the next ones', () => {
    const page = { items: ['c', 'd'], total: 7 };
    expect(textOf((terminal) => sayHowToGoOn(page, { noun: 'tasks', offset: 2 }, terminal))).toBe(
      '4 of 7 tasks; the next ones: --offset 4\n',
    );
  });

  it.each([
    ['the last one', { items: ['c'], total: 3 }],
    ['behind the end', { items: [], total: 1 }],
  ])('says nothing more when it is %s', (_where, page) => {
    expect(textOf((terminal) => sayHowToGoOn(page, { noun: 'tasks', offset: 2 }, terminal))).toBe('');
  });

  it('says that more may come when it is full and the length of the list is not known', () => {
    const options = { limit: 2, offset: 4 };
    expect(textOf((terminal) => sayThatMoreMayCome(2, options, terminal))).toBe(
      'There may be more; the next ones: --offset 6\n',
    );
    expect(textOf((terminal) => sayThatMoreMayCome(1, options, terminal))).toBe('');
  });
});
