import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { deadline } from './deadline.ts';

test('a deadline ends by itself, also after garbage was collected', () => {
  // The flag that lets a program collect garbage stays with a process of its own.
  const script = fileURLToPath(new URL('../../../testing/collected-deadline.ts', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '--import', 'tsx', script], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect({ stdout, stderr }).toEqual({ stdout: 'TimeoutError\n', stderr: '' });
});

test('a deadline ends with its parent, whose reason it has', async () => {
  const parent = new AbortController();
  const { signal } = deadline(60_000, parent.signal);
  parent.abort('closing');
  expect([signal.aborted, signal.reason]).toEqual([true, 'closing']);
  expect(deadline(60_000, parent.signal).signal.reason).toBe('closing');
});

test('a deadline that is released ends with nothing', () => {
  const parent = new AbortController();
  const { signal, release } = deadline(60_000, parent.signal);
  release();
  parent.abort('closing');
  expect(signal.aborted).toBe(false);
});
