/** What deploy/switchyard.service says, against what the gateway does. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadConfig } from '@switchyard/server/config/load';
import { expect, it } from 'vitest';
import { exitCodes } from '../../packages/cli/src/exit-codes.ts';

const root = resolve(import.meta.dirname, '../..');
const unit = readFileSync(join(root, 'deploy/switchyard.service'), 'utf8');
const guide = readFileSync(join(root, 'docs/guide/install.md'), 'utf8');

it('it starts again after a crash, and not with a configuration that is not valid', () => {
  expect(setting('Restart')).toBe('on-failure');
  expect(setting('RestartPreventExitStatus')).toBe(String(exitCodes.config.code));
});

it('it waits as long as the gateway takes to stop', () => {
  const { config } = loadConfig({ env: {}, cwd: root });
  // 5 s beyond the grace to close what is left.
  expect(Number(setting('TimeoutStopSec'))).toBeGreaterThan(config.server.shutdown_grace / 1_000 + 5);
});

it('the gateway writes where systemd lets it, and finds its configuration', () => {
  const folder = `/var/lib/${setting('StateDirectory')}`;
  const variables = new Map(
    setting('Environment')
      .split(' ')
      .map((each) => each.split('=') as [string, string]),
  );
  expect([variables.get('SWITCHYARD_HOME'), variables.get('HOME')]).toEqual([folder, folder]);
  expect(setting('WorkingDirectory')).toBe(`/etc/${setting('ConfigurationDirectory')}`);
});

it('it starts the program that the guide installs, as the user that the guide makes', () => {
  const [program, command] = setting('ExecStart').split(' ');
  const prefix = program?.replace(/\/node_modules\/\.bin\/switchyard$/, '');
  expect(command).toBe('up');
  expect(guide).toContain(`npm install --prefix ${prefix} `);
  expect(guide).toContain(`useradd --system --user-group --no-create-home ${setting('User')}\n`);
  expect(setting('Group')).toBe(setting('User'));
});

it('it leaves out what the engine of Node cannot bear', () => {
  expect(unit).not.toMatch(/^MemoryDenyWriteExecute=/m);
});

function setting(name: string): string {
  const found = [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
  expect(found, name).toHaveLength(1);
  return found[0] ?? '';
}
