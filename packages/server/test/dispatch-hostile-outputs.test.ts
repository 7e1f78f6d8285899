import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';

describe('an output whose name the worker chose', () => {
  let pool: DispatchPool;

  afterEach(() => pool.close());

  it.each([
    '../../../../tmp/evil.png',
    '..',
    '.',
    '/etc/passwd',
    'a\\..\\..\\b.png',
    'nul\u0000byte.png',
    '',
  ])('as %j is counted as missing, and nothing is written for it', async (outputName) => {
    pool = await startPool({ workers: [{ outputBytes: 100, outputName }] });
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    expect(await pool.user.ended(id)).toMatchObject({
      status: 'completed',
      result: { files: [], outputs: [], outputsMissing: 1 },
    });
    expect((await pool.user.call('GET', '/api/files')).data.total).toBe(0);
    expect(blobs(pool)).toEqual([]);
    expect(existsSync('/tmp/evil.png')).toBe(false);
  });

  it.each([
    ['a\u202egnp.exe', 'agnp.exe'],
    ['CON', '_CON'],
    ['<script>.png', '_script_.png'],
    ['name with spaces & ünïcode.png', 'name with spaces & ünïcode.png'],
  ])('as %j is kept as %j', async (outputName, shown) => {
    pool = await startPool({ workers: [{ outputBytes: 100, outputName }] });
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    const { result } = await pool.user.ended(id);
    expect(result.outputs).toMatchObject([{ filename: shown, size: 100, node: '2' }]);
    expect((await fetch(result.files[0])).status).toBe(200);
    expect(blobs(pool)).toHaveLength(1);
  });

  it('over the limit of the gateway is counted as missing, and the task completes', async () => {
    pool = await startPool({ workers: [{ outputBytes: 5_000 }], config: { files: { max_output: 2_000 } } });
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    expect(await pool.user.ended(id)).toMatchObject({
      status: 'completed',
      result: { files: [], outputsMissing: 1 },
    });
    expect(blobs(pool)).toEqual([]);
  });
});

function blobs(pool: DispatchPool): string[] {
  const root = join(pool.gateway.home, 'files');
  return readdirSync(root, { recursive: true })
    .map(String)
    .filter((path) => /[0-9a-f]{64}$/.test(path));
}
