import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ReferenceWorker } from '../src/dispatch/fleet/reference-worker.ts';
import { systemClock } from '../src/lib/clock.ts';
import { createLogger } from '../src/platform/telemetry/logger.ts';
import { type DispatchPool, startPool } from './support/dispatch-pool.ts';

let pool: DispatchPool;
let builtIn: ReferenceWorker;
let worker: FakeWorker;

beforeEach(async () => {
  pool = await startPool({ workers: [] });
  worker = await FakeWorker.start();
  pool.workers.push(worker);
  const { dispatch } = pool.gateway.context;
  if (!dispatch) throw new Error('This gateway has no pool.');
  builtIn = new ReferenceWorker({
    ...dispatch,
    process: {
      ensure: async () => ({ port: worker.port }),
      stop: async () => undefined,
      // Only what happens to the configuration makes it look again.
      ensureEveryMs: 3_600_000,
    },
    instances: dispatch.instanceStore,
    clock: systemClock,
    log: createLogger({ level: 'silent', format: 'json' }),
  });
  builtIn.start();
});

afterEach(async () => {
  await builtIn.close();
  await pool.close();
});

const put = (instances: object[]) =>
  pool.admin.call('PUT', '/api/config', {
    servers: [{ id: 'real', name: 'Real', kind: 'comfyui', instances }],
    healthCheck: { interval: 1 },
  });
const untilListed = (ports: number[]) =>
  pool.admin.until(
    () => pool.admin.call('GET', '/api/instances'),
    ({ data }) => JSON.stringify(data.map(({ port }: { port: number }) => port)) === JSON.stringify(ports),
  );

it('the built-in worker comes back after a real instance was added and removed at once', async () => {
  await untilListed([worker.port]);
  await put([{ ip: '127.0.0.1', port: 9 }]);
  await untilListed([9]);
  await put([]);
  await untilListed([worker.port]);
  await expect.poll(async () => (await pool.admin.instance(worker.port)).state).toBe('idle');
});
