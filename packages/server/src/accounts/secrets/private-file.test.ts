import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPrivateFile, readPrivateFile, writePrivateFile } from './private-file.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'switchyard-private-file-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('a private file', () => {
  test('is readable by its owner alone and leaves no other file behind', () => {
    const path = join(home, 'inside', 'secret');
    writePrivateFile(path, 'one\n');
    writePrivateFile(path, 'two\n');
    expect(readFileSync(path, 'utf8')).toBe('two\n');
    expect(modeOf(path)).toBe(0o600);
    expect(modeOf(join(home, 'inside'))).toBe(0o700);
    expect(readdirSync(join(home, 'inside'))).toEqual(['secret']);
  });

  test('replaces a planted link instead of writing through it', () => {
    const [target, path] = [join(home, 'target'), join(home, 'secret')];
    writeFileSync(target, 'untouched');
    symlinkSync(target, path);
    writePrivateFile(path, 'secret');
    expect(readFileSync(target, 'utf8')).toBe('untouched');
    expect(readPrivateFile(path)).toBe('secret');
  });

  test('is not read through a link', () => {
    writeFileSync(join(home, 'target'), 'somebody else’s');
    const path = join(home, 'secret');
    symlinkSync(join(home, 'target'), path);
    expect(() => readPrivateFile(path)).toThrow(
      `${path} must be a plain file that this user may read, or absent`,
    );
  });

  test('that is a directory is refused by its name', () => {
    expect(() => readPrivateFile(home)).toThrow(`${home} must be a plain file`);
  });

  test('loses permissions for others when it has them', () => {
    const path = join(home, 'secret');
    writeFileSync(path, 'secret');
    chmodSync(path, 0o644);
    expect(readPrivateFile(path)).toBe('secret');
    expect(modeOf(path)).toBe(0o600);
  });

  test('is undefined when there is none', () => {
    expect(readPrivateFile(join(home, 'none'))).toBeUndefined();
  });

  test('is created once', () => {
    const path = join(home, 'secret');
    expect(createPrivateFile(path, 'first')).toBe(true);
    expect(createPrivateFile(path, 'second')).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe('first');
    expect(readdirSync(home)).toEqual(['secret']);
  });

  test('leaves no temporary file when it cannot be put in place', () => {
    const path = join(home, 'secret');
    mkdirSync(path);
    expect(() => writePrivateFile(path, 'secret')).toThrow(/EISDIR/);
    expect(readdirSync(home)).toEqual(['secret']);
  });
});
