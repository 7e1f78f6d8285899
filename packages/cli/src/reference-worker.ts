import { join } from 'node:path';
import type { ReferenceWorkerProcess } from '@switchyard/server/dispatch/fleet/reference-worker';
import {
  adoptEveryMs,
  adoptWorker,
  type FoundWorker,
  findWorker,
  launchWorker,
  stopWorker,
} from '@switchyard/worker/lifecycle';

/** The embedded worker as a process of its own: this binary with the command `worker`. */
export function referenceWorkerProcess(dataHome: string, binary: string): ReferenceWorkerProcess {
  const dir = join(dataHome, 'worker');
  const gateway = `gateway-${process.pid}`;
  const adopt = async (worker: FoundWorker): Promise<FoundWorker | undefined> =>
    (await adoptWorker(worker, gateway)) ? worker : undefined;
  return {
    ensureEveryMs: adoptEveryMs,
    ensure: async (signal) => {
      const found = await findWorker(dir);
      const adopted = found && (await adopt(found));
      if (adopted) return adopted;
      const launched = await launchWorker({
        dir,
        command: [process.execPath, ...process.execArgv, binary, 'worker'],
        signal,
      });
      await adopt(launched);
      return launched;
    },
    stop: async () => {
      const found = await findWorker(dir);
      if (found?.adoptedBy === gateway) await stopWorker(found);
    },
  };
}
