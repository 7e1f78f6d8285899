import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { binary, runBinary } from '@switchyard/dev-env/binary';
import { testProgram } from '@switchyard/dev-env/proxy-process';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, describe, expect, it } from 'vitest';
import { readCredentials } from '../e2e/credentials-file.ts';

const about = 'the service of systemd';
const needed = ['systemd-analyze', 'bwrap', 'strace'].map((program) => testProgram(program, about));
const { title, isSkipped } = needed.find((each) => each.title !== about) ?? {
  title: about,
  isSkipped: false,
};
const root = fileURLToPath(new URL('../..', import.meta.url));
const unit = readFileSync(join(root, 'deploy/switchyard.service'), 'utf8');
/** In tenths, as systemd-analyze takes it; 10 is no protection at all. */
const maxExposure = 20;

describe.skipIf(isSkipped)(title, () => {
  const folder = temporaryFolder();
  afterAll(folder.remove);
  const analyze = (...args: string[]) => {
    const file = join(folder.path, 'switchyard.service');
    // A program that is there, in place of the one that an operator installs.
    writeFileSync(file, unit.replace(/^ExecStart=\S+/m, `ExecStart=${binary}`));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' });
    return { status, said: stdout + stderr };
  };

  it('is read by systemd without a word', () => {
    expect(analyze('verify', '--man=no')).toEqual({ status: 0, said: '' });
  });

  it('leaves few ways to harm the machine', () => {
    const { status, said } = analyze('security', '--offline=true', `--threshold=${maxExposure}`);
    expect(status, said).toBe(0);
  });

  it('lets the gateway start, make pictures and stop', async () => {
    const home = temporaryFolder();
    const desk = temporaryFolder();
    try {
      const trace = join(home.path, 'trace');
      const sandbox = [...underTheService(home.path), ...traced(trace), process.execPath, binary];
      const gateway = runBinary({
        args: ['up', '--home', home.path, '--port', '0'],
        cwd: home.path,
        command: sandbox,
      });
      const { url, pid } = await ready(home.path);
      const env = { SWITCHYARD_URL: url, XDG_CONFIG_HOME: desk.path };
      const cli = async (args: string[], input = '') => {
        const run = runBinary({ args, env, cwd: desk.path });
        run.child.stdin?.end(input);
        expect(await run.exited, run.output()).toEqual({ code: 0, signal: null });
      };
      const { email, password } = readCredentials(home.path);
      await cli(['login', '--email', email, '--password-stdin'], `${password}\n`);
      const workflow = join(root, 'examples/workflows/batch-invert.json');
      await cli(['run', workflow, '-o', join(desk.path, 'pictures')]);
      expect(readdirSync(join(desk.path, 'pictures')).length).toBeGreaterThan(0);
      process.kill(pid, 'SIGTERM');
      expect(await gateway.exited, gateway.output()).toEqual({ code: 0, signal: null });

      const calls = readFileSync(trace, 'utf8');
      const sockets = [...calls.matchAll(/\bsocket\((AF_\w+)/g)].map(([, family = '']) => family);
      expect(setting('RestrictAddressFamilies').split(' ')).toEqual(expect.arrayContaining(sockets));
      expect(sockets).toContain('AF_INET');
      const others = calls
        .split('\n')
        .filter((line) => /^\d+ +\w+\(/.test(line) && !line.includes('socket('));
      expect(others, 'calls that the filter refuses').toEqual([]);
    } finally {
      home.remove();
      desk.remove();
    }
  });

  it('stays down after a configuration that is not valid', async () => {
    const run = runBinary({ args: ['up', '--port', 'none'], cwd: folder.path });
    expect((await run.exited).code, run.output()).toBe(Number(setting('RestartPreventExitStatus')));
  });
});

/** Resolves when the gateway of this home answers. Its process is a grandchild of this one. */
async function ready(home: string): Promise<{ url: string; pid: number }> {
  await expect.poll(() => existsSync(join(home, 'gateway.json'))).toBe(true);
  const address = JSON.parse(readFileSync(join(home, 'gateway.json'), 'utf8')) as {
    url: string;
    pid: number;
  };
  await expect.poll(async () => (await fetch(new URL('/readyz', address.url))).status).toBe(200);
  return address;
}

/**
 * What the service does that needs no systemd: nothing can be written but the data home, no home folders, temporary files and devices of
 * its own, an ordinary user, no capabilities and none to be gained.
 */
function underTheService(home: string): string[] {
  for (const line of [
    'ProtectSystem=strict',
    'ProtectHome=yes',
    'PrivateTmp=yes',
    'PrivateDevices=yes',
    'ProtectHostname=yes',
    'CapabilityBoundingSet=',
    'NoNewPrivileges=yes',
  ])
    expect(unit.split('\n')).toContain(line);
  const hidden = ['/home', '/root', '/tmp'].flatMap((path) => ['--tmpfs', path]);
  // Node and the program, in case they stand in what is hidden.
  const node = dirname(dirname(process.execPath));
  const shown = [node, root].flatMap((path) => ['--ro-bind', path, path]);
  const system = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', ...hidden, ...shown];
  const user = [
    '--unshare-user',
    '--uid',
    '10001',
    '--gid',
    '10001',
    '--cap-drop',
    'ALL',
    '--unshare-uts',
    '--die-with-parent',
  ];
  return ['bwrap', ...system, '--bind', home, home, ...user, '--setenv', 'HOME', home];
}

/** Writes down each system call that the filter of the service refuses, and each socket. */
function traced(file: string): string[] {
  const allowed = [...callsOf('@default'), ...setting('SystemCallFilter').split(' ').flatMap(callsOf)];
  const names = allowed.filter((name) => name !== 'socket').map((name) => `?${name}`);
  return ['strace', '-D', '-f', '-qq', '--seccomp-bpf', '-o', file, '-e', `trace=!${names.join(',')}`];
}

/** Returns the system calls of one of systemd's groups. */
function callsOf(group: string): string[] {
  const { stdout } = spawnSync('systemd-analyze', ['syscall-filter', group], { encoding: 'utf8' });
  const [, ...lines] = stdout.split('\n').map((line) => line.trim());
  expect(lines.length, group).toBeGreaterThan(1);
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => (line.startsWith('@') ? callsOf(line) : [line]));
}

function setting(name: string): string {
  const [, value = ''] = new RegExp(`^${name}=(.*)$`, 'm').exec(unit) ?? [];
  expect(value, name).not.toBe('');
  return value;
}
