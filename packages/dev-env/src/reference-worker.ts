import { type RunningWorker, startWorker } from '@switchyard/worker/worker';
import { temporaryFolder } from './temporary-folder.ts';

/** The reference worker in this process, on a free port, with a folder of its own that is removed when it closes. */
export async function startReferenceWorker(
  options: Omit<Parameters<typeof startWorker>[0], 'dir'> = {},
): Promise<RunningWorker> {
  const folder = temporaryFolder();
  const worker = await startWorker({ port: 0, ...options, dir: folder.path });
  const close = async () => {
    await worker.close();
    folder.remove();
  };
  return { ...worker, close };
}
