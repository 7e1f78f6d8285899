import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Login, Logins, loginsFolder } from './logins.ts';

let folder: ReturnType<typeof temporaryFolder>;
let logins: Logins;

beforeEach(() => {
  folder = temporaryFolder();
  logins = new Logins(join(folder.path, 'logins'));
});
afterEach(() => folder.remove());

const login = (url: string, signedInAt: string): Login => ({
  url,
  username: 'me@example.com',
  token: 'sy_pat_secret',
  tokenId: 'id',
  expiresAt: null,
  signedInAt,
});
const local = login('http://127.0.0.1:7300', '2030-01-01T00:00:00.000Z');
const remote = login('https://gate.example.com/gateway', '2030-01-02T00:00:00.000Z');

describe('a login', () => {
  it('is found again by the address of its gateway, and by no other', () => {
    logins.save(local);
    expect(logins.find('http://127.0.0.1:7300')).toEqual(local);
    expect(logins.find('http://127.0.0.1:7301')).toBeUndefined();
  });

  it('can be read by its owner only', () => {
    logins.save(remote);
    expect(statSync(logins.pathOf(remote.url)).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder.path, 'logins')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder.path, 'logins'))).toHaveLength(1);
  });

  it('is gone after it was removed', () => {
    logins.save(local);
    logins.remove(local.url);
    logins.remove(local.url);
    expect(logins.find(local.url)).toBeUndefined();
  });

  it.each(['', '{', 'null', '{"url":"x"}'])('that is damaged (%j) counts as none', (text) => {
    logins.save(local);
    writeFileSync(logins.pathOf(local.url), text);
    expect([logins.find(local.url), logins.newest()]).toEqual([undefined, undefined]);
  });
});

it('the newest of several logins is the one that was made last', () => {
  logins.save(remote);
  logins.save(local);
  expect(logins.newest()).toEqual(remote);
});

it('without a folder no one is signed in', () => {
  expect(logins.newest()).toBeUndefined();
});

it('stores logins in the settings folder of the system', () => {
  expect(loginsFolder({ XDG_CONFIG_HOME: '/x', HOME: '/h' })).toBe(join('/x', 'switchyard', 'logins'));
  expect(loginsFolder({ HOME: '/h' })).toBe(join('/h', '.config', 'switchyard', 'logins'));
});
