import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { isProcessAlive } from './is-process-alive.ts';

it('knows a process that runs, one of another user, and one that has ended', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  expect([process.pid, 1, pid].map(isProcessAlive)).toEqual([true, true, false]);
});
