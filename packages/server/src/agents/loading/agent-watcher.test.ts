import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AgentWatcher } from './agent-watcher.ts';
import { AgentModules } from './load-agent-modules.ts';

let folder = '';
let watcher: AgentWatcher;
let modules: AgentModules;
let reloads = 0;
let faults: string[] = [];
const told: [object, string][] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'watched-'));
  reloads = 0;
  faults = [];
  told.length = 0;
  watcher = new AgentWatcher({ info: (details, message) => void told.push([details, message]) });
  watcher.onChange(async () => {
    reloads += 1;
    modules.renew();
    return faults;
  });
  modules = new AgentModules({ onLoad: (file) => watcher.see(file) });
  write('package.json', '{ "type": "module" }');
  write('src/agent.ts', "export { word } from './words/word.ts';\n");
  write('src/words/word.ts', "export const word: string = 'before';\n");
});

afterEach(() => {
  watcher.close();
  rmSync(folder, { recursive: true });
});

it('loads an agent again when a file that it imports has changed', async () => {
  expect(await word()).toBe('before');
  write('src/words/word.ts', "export const word: string = 'after';\n");

  await expect
    .poll(() => told)
    .toEqual([
      [{ file: 'word.ts' }, 'Agents loaded again; runs under way keep the ones that they began with'],
    ]);
  expect(await word()).toBe('after');
});

it('handles the writes of one change together', async () => {
  await word();
  for (const text of ['one', 'two', 'three'])
    write('src/agent.ts', `export const word: string = '${text}';\n`);

  await expect.poll(() => reloads).toBe(1);
  expect(await word()).toBe('three');
});

it('leaves the report of a fault to the registry', async () => {
  await word();
  faults = ['src/agent.ts:1: Unexpected "="'];
  write('src/agent.ts', 'export const word: = 1;\n');

  await expect.poll(() => reloads).toBe(1);
  expect(told).toEqual([]);
});

it('watches no more after it is closed', async () => {
  await word();
  watcher.close();
  let seen = 0;
  const witness = new AgentWatcher({ info: () => {} });
  witness.onChange(async () => {
    seen += 1;
    return [];
  });
  witness.see(join(folder, 'src/agent.ts'));
  write('src/agent.ts', "export const word: string = 'later';\n");

  await expect.poll(() => seen).toBe(1);
  expect(reloads).toBe(0);
  witness.close();
});

async function word(): Promise<unknown> {
  return (await modules.import(join(folder, 'src/agent.ts'))).word;
}

function write(path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
