import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeDataHome } from './data-home.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-home-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('is created with its parent folders, for its owner alone', () => {
  const home = join(folder, 'a', 'b');
  makeDataHome(home);
  makeDataHome(home);
  expect(statSync(home).mode & 0o777).toBe(0o700);
});

it('that is a file is refused with a message that names it and says what to do', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(() => makeDataHome(file)).toThrow(`The data home ${file} cannot be used (EEXIST`);
  expect(() => makeDataHome(file)).toThrow('Choose another with --home or SWITCHYARD_HOME.');
});

it.skipIf(process.getuid?.() === 0)('that is not writable is refused before anything else is tried', () => {
  chmodSync(folder, 0o500);
  expect(() => makeDataHome(folder)).toThrow(`The data home ${folder} cannot be used (EACCES`);
  chmodSync(folder, 0o700);
});
