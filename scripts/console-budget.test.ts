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
  'index.html': { file: file('assets/index.js', 10), css: [file('assets/index.css', 10)] },
  '_queries.js': { name: 'queries', file: file('assets/queries.js', 20) },
  '_renderer.js': { name: 'renderer', file: file('assets/renderer.js', 60) },
  '_frame.js': { name: 'frame', file: file('assets/frame.js', 30), imports: ['_shared.js'] },
  'src/features/overview/overview-page.tsx': { file: file('assets/overview.js', 10) },
  'src/app/locales/en.ts': { file: file('assets/en.js', 15) },
  'src/app/locales/zh-cn.ts': { file: file('assets/zh-cn.js', 20) },
  '_shared.js': { file: file('assets/shared.js', 40) },
  'src/features/chat/chat-page.tsx': {
    file: file('assets/chat.js', 90),
    imports: ['_shared.js', '_markdown.js'],
  },
  'src/features/chat/graph-form.tsx': { file: file('assets/graph-form.js', 15), imports: ['_markdown.js'] },
  '_markdown.js': { file: file('assets/markdown.js', 20) },
};

it('counts what a first visit loads with its first page and one locale, and what a part adds to it', () => {
  const { lines, faults } = weighConsole(folder.path, manifest);
  expect(lines.slice(0, 3)).toEqual([
    'script of the first load: 190.0 kB of 220 kB',
    'script that the chat adds: 110.0 kB of 120 kB',
    'script that own graphs add to the chat: 15.0 kB of 35 kB',
  ]);
  expect(faults).toEqual([]);
});

it('names each part that weighs more than it may', () => {
  const heavy = { ...manifest, '_shared.js': { file: file('assets/heavy.js', 80) } };
  expect(weighConsole(folder.path, heavy).faults).toEqual(['script of the first load: 230.0 kB of 220 kB']);
});

it('names the number of scripts of a page that has more than it may', () => {
  const small = Array.from({ length: 24 }, (_, at) => [`_${at}.js`, { file: file(`assets/${at}.js`, 0) }]);
  const imports = small.map(([name]) => String(name));
  const page = { file: file('assets/tasks.js', 10), imports };
  const split = { ...manifest, ...Object.fromEntries(small), 'src/features/tasks/tasks-page.tsx': page };
  expect(weighConsole(folder.path, split).faults).toEqual(['most scripts of a page: 31 of 30']);
});

it('refuses to weigh a console whose parts have other names', () => {
  const { '_frame.js': _, ...renamed } = manifest;
  expect(() => weighConsole(folder.path, renamed)).toThrow('correct the budget');
});
