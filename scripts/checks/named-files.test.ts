import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listFiles } from './tree.ts';

const root = new URL('../..', import.meta.url).pathname;
const pages = ['ARCHITECTURE.md', 'AGENTS.md', 'docs/style.md'];

/** Names in backquotes such as `queue/claim-task`, `migrations/` or `platform/*`; addresses and patterns are not among them. */
function filesNamedIn(page: string): string[] {
  return [...page.matchAll(/`([a-z][\w.-]*\/[\w./*-]*)`/g)].map(([, name = '']) =>
    name.replace(/\/\*?$/, ''),
  );
}

/** The names that no file and no folder ends with. */
function unknownAmong(names: readonly string[], files: readonly string[]): string[] {
  const places = new Set(files.flatMap(placesOf));
  return names.filter((name) => !places.has(name));
}

/** Each ending of the file's path and of its folders' paths, with and without the extension. */
function placesOf(file: string): string[] {
  const parts = file.split('/');
  const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  return [...paths, file.replace(/\.ts$/, '')].flatMap((path) => {
    const names = path.split('/');
    return names.map((_, index) => names.slice(index).join('/'));
  });
}

describe('the pages about the code', () => {
  it.each(pages)('%s names only files and folders that exist', (page) => {
    const names = filesNamedIn(readFileSync(`${root}/${page}`, 'utf8'));
    expect(unknownAmong(names, listFiles(root))).toEqual([]);
  });

  it('cannot keep the name of a file that has moved', () => {
    const names = filesNamedIn(
      '`queue/claim-task` claims it; `queue/gone` does not; `POST /api/tasks` begins it.',
    );
    expect(unknownAmong(names, ['packages/server/src/dispatch/queue/claim-task.ts'])).toEqual(['queue/gone']);
  });
});
