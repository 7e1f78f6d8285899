import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { deriveKey, idOf, keyFileText, onlySecret, parseKeyFile, rotated } from './key-file.ts';
import { SigningKeys } from './signing-keys.ts';

const first = 'the first secret of this test, long enough';
let home: string;
let file: string;
const opened: SigningKeys[] = [];
const said: string[] = [];
const say = (_facts: object, message: string) => void said.push(message);
const log = { info: say, warn: say, error: say };
let now: number;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'switchyard-secret-'));
  file = join(home, '.jwt_secret');
  now = Date.UTC(2030, 0, 1);
  said.length = 0;
});
afterEach(async () => {
  for (const keys of opened.splice(0)) await keys.close();
  rmSync(home, { recursive: true });
});

function open({ given = null as string | null, givenFile = null as string | null, ahead = 0 } = {}) {
  const keys = SigningKeys.open({ given, givenFile, home }, { clock: () => now + ahead, log });
  opened.push(keys);
  return keys;
}

const signs = (keys: SigningKeys) => keys.for('a purpose').signing().export().toString('hex');
const accepts = (keys: SigningKeys) =>
  keys
    .for('a purpose')
    .accepted()
    .map((key) => key.export().toString('hex'));
const keyOf = (secret: string) => deriveKey(secret, 'a purpose').export().toString('hex');

describe('the secret', () => {
  test('is generated once and kept with mode 0600', () => {
    const made = signs(open());
    const secret = readFileSync(file, 'utf8').trim();
    expect(secret).toHaveLength(64);
    expect(made).toBe(keyOf(secret));
    expect(signs(open())).toBe(made);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('is the given secret if there is one, and then writes no file', () => {
    expect(signs(open({ given: first }))).toBe(keyOf(first));
    expect(() => statSync(file)).toThrow(/ENOENT/);
  });

  test('may stand in a file behind a link that others own, as in Kubernetes', () => {
    const mounted = join(home, 'mounted');
    writeFileSync(mounted, first, { mode: 0o644 });
    symlinkSync(mounted, join(home, 'link'));
    expect(signs(open({ givenFile: join(home, 'link') }))).toBe(keyOf(first));
    expect(statSync(mounted).mode & 0o777).toBe(0o644);
  });

  test('is refused when it is short or damaged, with the place where it was set', () => {
    expect(() => open({ given: 'change-me' })).toThrow(/AUTH_JWT_SECRET.*9 characters/);
    writeFileSync(file, '');
    expect(() => open()).toThrow(/\.jwt_secret has 0 characters/);
    for (const text of [
      '{',
      '{"secrets": []}',
      `{"secrets": [{"secret": "${first}", "signs_from": "soon"}]}`,
    ]) {
      writeFileSync(file, text);
      expect(() => open()).toThrow(
        /\.jwt_secret must hold one secret, or what "switchyard secrets rotate" writes/,
      );
    }
  });

  test('gives each purpose a key of its own', () => {
    const key = (purpose: string) => deriveKey(first, purpose).export().toString('hex');
    expect(key('csrf')).toHaveLength(64);
    expect(key('csrf')).toBe(key('csrf'));
    expect(key('csrf')).not.toBe(key('session'));
    expect(idOf({ secret: first })).toMatch(/^[0-9a-f]{8}$/);
  });
});

describe('a rotation', () => {
  const rotate = (leadMs: number, overlapMs: number) => {
    const before = parseKeyFile(readFileSync(file, 'utf8'), file);
    const after = rotated(before, { nowMs: now, leadMs, overlapMs });
    writeFileSync(file, keyFileText(after), { mode: 0o600 });
    return after.at(-1)?.secret ?? '';
  };

  it('is read by running processes, which accept the new secret before one of them signs with it', async () => {
    writeFileSync(file, first, { mode: 0o600 });
    const [one, other] = [open(), open({ ahead: -5_000 })];
    const second = rotate(60_000, 1_000_000);
    const all = [keyOf(first), keyOf(second)];
    for (const keys of [one, other]) await expect.poll(() => accepts(keys)).toEqual(all);
    expect([signs(one), signs(other)]).toEqual([keyOf(first), keyOf(first)]);

    now += 60_000;
    // The clock of the other one is late. Both accept what both sign.
    expect([signs(one), signs(other)]).toEqual([keyOf(second), keyOf(first)]);
    now += 1_000_000;
    expect(accepts(one)).toEqual([keyOf(second)]);
    expect(accepts(other)).toEqual(all);
    now += 5_000;
    expect(accepts(other)).toEqual([keyOf(second)]);
    expect(said).toEqual(['The secrets that sign were rotated', 'The secrets that sign were rotated']);
  });

  it('leaves the secrets as they are while the file is damaged or gone', async () => {
    writeFileSync(file, first, { mode: 0o600 });
    const keys = open();
    writeFileSync(file, '{"secrets": [');
    await expect.poll(() => said).toHaveLength(1);
    rmSync(file);
    await expect.poll(() => said).toHaveLength(2);
    expect(accepts(keys)).toEqual([keyOf(first)]);
    expect(new Set(said)).toEqual(
      new Set(['The secrets that sign could not be read again; the former ones stay']),
    );
  });

  it('without an overlap also ends the secrets of the rotations before', () => {
    writeFileSync(file, first, { mode: 0o600 });
    const second = rotate(60_000, 1_000_000);
    const third = rotate(0, 0);
    expect(accepts(open())).toEqual([keyOf(third)]);
    expect(parseKeyFile(readFileSync(file, 'utf8'), file).map(({ secret }) => secret)).toEqual([
      first,
      second,
      third,
    ]);
    // The next one forgets what is refused.
    rotate(0, 1);
    expect(readFileSync(file, 'utf8')).not.toContain(first);
  });

  it('is refused when there is no room for one more former secret', () => {
    let secrets = onlySecret(first, file);
    for (let count = 1; count < 8; count += 1)
      secrets = rotated(secrets, { nowMs: now, leadMs: 0, overlapMs: count });
    expect(() => rotated(secrets, { nowMs: now, leadMs: 0, overlapMs: 9 })).toThrow(
      '8 former secrets are still accepted, and there is no room for more. Rotate again after 2030-01-01T00:00:00.001Z.',
    );
    expect(rotated(secrets, { nowMs: now + 1, leadMs: 0, overlapMs: 9 })).toHaveLength(8);
  });
});
