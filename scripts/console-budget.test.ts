import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, expect, it } from 'vitest';
import { weighConsole } from './console-budget.mjs';

const folder = temporaryFolder();
afterAll(() => folder.remove());
mkdirSync(join(folder.path, 'assets'));

function file(name: string, kilobytes: number): string {
  writeFileSync(join(folder.path, `${name}.gz`), 'x'.repeat(kilobytes * 1_000));
  return name;
}

const manifest = {
  'index.html': {
    file: file('assets/index.js', 150),
    imports: ['_shared.js'],
    css: [file('assets/index.css', 10)],
  },
  '_shared.js': { file: file('assets/shared.js', 40) },
  'src/features/chat/chat-page.tsx': {
    file: file('assets/chat.js', 90),
    imports: ['_shared.js', '_markdown.js'],
  },
  '_markdown.js': { file: file('assets/markdown.js', 20) },
};

it('counts what a first visit loads, and what a part adds to it', () => {
  const { lines, faults } = weighConsole(folder.path, manifest);
  expect(lines.slice(0, 2)).toEqual([
    'script of the first load: 190.0 kB of 200 kB',
    'script that the chat adds: 110.0 kB of 120 kB',
  ]);
  expect(faults).toEqual([]);
});

it('names each part that weighs more than it may', () => {
  const heavy = { ...manifest, '_shared.js': { file: file('assets/heavy.js', 60) } };
  expect(weighConsole(folder.path, heavy).faults).toEqual(['script of the first load: 210.0 kB of 200 kB']);
});
