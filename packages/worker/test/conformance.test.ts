import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker } from '../src/worker.ts';
import { workerConformance } from './worker-conformance.ts';

workerConformance('the reference worker', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'worker-conformance-'));
  // A small limit, so that the fact about it does not need 100 MB.
  const limits = { maxUploadBytes: 4 * 1024 * 1024 };
  let worker = await startWorker({ dir, port: 0, faultRoutes: true, limits });
  const { url, port } = worker;
  return {
    url,
    restart: async () => {
      await worker.close();
      worker = await startWorker({ dir, port, faultRoutes: true, limits });
    },
    close: async () => {
      await worker.close();
      await rm(dir, { recursive: true });
    },
  };
});
