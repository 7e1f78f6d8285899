import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandError } from './exit-codes.ts';
import { findGateway } from './gateway-address.ts';
import { Logins, loginsFolder } from './logins.ts';

let folder: ReturnType<typeof temporaryFolder>;
let env: Record<string, string>;

beforeEach(() => {
  folder = temporaryFolder();
  env = { XDG_CONFIG_HOME: join(folder.path, 'config') };
});
afterEach(() => folder.remove());

const find = (options: { url?: string; token?: string } = {}, more: Record<string, string> = {}) =>
  findGateway(options, { env: { ...env, ...more }, cwd: folder.path });

function signIn(url: string): void {
  new Logins(loginsFolder(env)).save({
    url,
    username: 'me@example.com',
    token: `token-of-${new URL(url).port}`,
    tokenId: 'id',
    expiresAt: null,
    signedInAt: '2030-01-01T00:00:00.000Z',
  });
}

function runHere(pid: number, home = join(folder.path, '.switchyard')): void {
  mkdirSync(home, { recursive: true });
  const file = { url: 'http://127.0.0.1:7305', pid, since: '2030-01-01T00:00:00.000Z' };
  writeFileSync(join(home, 'gateway.json'), JSON.stringify(file));
}

describe('the gateway that a command calls', () => {
  it('is the default one when nothing names another', () => {
    expect(find()).toEqual({ url: 'http://127.0.0.1:7300', token: undefined });
  });

  it('is the one of the last login, then the one that runs here, then the environment’s, then the option’s', () => {
    signIn('http://127.0.0.1:7301');
    expect(find().url).toBe('http://127.0.0.1:7301');
    runHere(process.pid);
    expect(find().url).toBe('http://127.0.0.1:7305');
    expect(find({}, { SWITCHYARD_URL: 'http://127.0.0.1:7302' }).url).toBe('http://127.0.0.1:7302');
    expect(find({ url: 'http://127.0.0.1:7303' }, { SWITCHYARD_URL: 'x' }).url).toBe('http://127.0.0.1:7303');
  });

  it('runs in the data home that the environment names', () => {
    const home = join(folder.path, 'elsewhere');
    runHere(process.pid, home);
    expect(find({}, { SWITCHYARD_HOME: home }).url).toBe('http://127.0.0.1:7305');
  });

  it('is not one that was killed and left its address file', () => {
    runHere(2 ** 30);
    expect(find().url).toBe('http://127.0.0.1:7300');
  });

  it('is found although no gateway could start with the configuration that is here', () => {
    writeFileSync(join(folder.path, 'switchyard.yaml'), 'server: { prot: 1 }');
    signIn('http://127.0.0.1:7301');
    expect(find().url).toBe('http://127.0.0.1:7301');
  });

  it('has an address that clients can connect to', () => {
    expect(() => find({ url: 'localhost:7300' })).toThrow(CommandError);
    expect(() => find({ url: 'localhost:7300' })).toThrow('Write http://host:port');
  });
});

describe('the token that is sent', () => {
  it('is the option’s, else the environment’s, else that of the login', () => {
    signIn('http://127.0.0.1:7301');
    expect(find().token).toBe('token-of-7301');
    expect(find({}, { SWITCHYARD_TOKEN: 'of-env' }).token).toBe('of-env');
    expect(find({ token: 'of-option' }, { SWITCHYARD_TOKEN: 'of-env' }).token).toBe('of-option');
  });

  it('goes to no other gateway than the one that gave it', () => {
    signIn('http://127.0.0.1:7301');
    expect(find({ url: 'http://127.0.0.1:7302' }).token).toBeUndefined();
    expect(find({ url: 'http://127.0.0.1:7301/' }).token).toBe('token-of-7301');
  });
});
