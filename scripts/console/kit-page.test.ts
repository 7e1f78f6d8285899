import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { resolveImport } from '../checks/layers.ts';
import { parseSource } from '../checks/source-file.ts';
import { listFiles } from '../checks/tree.ts';
import { kitPage } from './kit-page.ts';

const root = process.cwd();
const page = /^packages\/console\/kit-page\/.+\.tsx?$/;
const user = /^packages\/console\/src\/(features|app)\/.+\.tsx?$/;
/** A hook draws nothing by itself: what uses it is shown. */
const part = /^packages\/console\/src\/kit\/(.*\/)?(?!use-)[^/]+\.tsx$/;

it('shows every part that pages of the console are made of', () => {
  const used = importedBy(user).filter((path) => part.test(path));
  expect(used.length).toBeGreaterThan(40);
  const shown = new Set(importedBy(page));
  expect(used.filter((path) => !shown.has(path))).toEqual([]);
});

it('takes no part in a build', () => {
  expect(kitPage().apply).toBe('serve');
});

/** The files that a group of files imports. */
function importedBy(group: RegExp): string[] {
  const imported = listFiles(root)
    .filter((path) => group.test(path) && !path.includes('.test.'))
    .flatMap((path) =>
      parseSource(path, readFileSync(`${root}/${path}`, 'utf8')).imports.map(({ specifier }) =>
        resolveImport(path, specifier),
      ),
    );
  return [...new Set(imported)].filter((path) => path !== undefined).sort();
}
