import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deriveKey, loadSigningSecret } from './signing-secret.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'switchyard-secret-'));
});
afterEach(() => rmSync(home, { recursive: true }));

describe('signing secret', () => {
  test('is generated once and kept with mode 0600', () => {
    const first = loadSigningSecret({ given: undefined, home });
    expect(first).toHaveLength(64);
    expect(loadSigningSecret({ given: '', home })).toBe(first);
    expect(statSync(join(home, '.jwt_secret')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(home, '.jwt_secret'), 'utf8')).toBe(`${first}\n`);
  });

  test('is the given secret if there is one, and then writes no file', () => {
    const given = 'g'.repeat(32);
    expect(loadSigningSecret({ given, home })).toBe(given);
    expect(() => statSync(join(home, '.jwt_secret'))).toThrow(/ENOENT/);
  });

  test('is refused when it is short, with the place where it was set', () => {
    expect(() => loadSigningSecret({ given: 'change-me', home })).toThrow(/AUTH_JWT_SECRET.*9 characters/);
    writeFileSync(join(home, '.jwt_secret'), '');
    expect(() => loadSigningSecret({ given: undefined, home })).toThrow(/\.jwt_secret has 0 characters/);
  });

  test('gives each purpose a key of its own', () => {
    const secret = 's'.repeat(32);
    const key = (purpose: string) => deriveKey(secret, purpose).export().toString('hex');
    expect(key('csrf')).toHaveLength(64);
    expect(key('csrf')).toBe(key('csrf'));
    expect(key('csrf')).not.toBe(key('session'));
  });
});
