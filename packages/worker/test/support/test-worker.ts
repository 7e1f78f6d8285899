import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Subject } from '../../src/conformance/subject.ts';
import type { WorkerOptions } from '../../src/options.ts';
import { type RunningWorker, startWorker } from '../../src/worker.ts';

/** A directory that is removed after the test. */
export async function testDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'worker-test-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

type TestOptions = Omit<Partial<WorkerOptions>, 'port'> & { port?: number | 'kept' };

/** A worker that is closed after the test, and a client for it. `kept`: the port that the directory had before. */
export async function testWorker({ port = 0, ...options }: TestOptions = {}): Promise<{
  worker: RunningWorker;
  subject: Subject;
  dir: string;
}> {
  const dir = options.dir ?? (await testDir());
  const worker = await startWorker({ ...options, dir, ...(port !== 'kept' && { port }) });
  onTestFinished(() => worker.close());
  return { worker, subject: new Subject({ url: worker.url }), dir };
}
