import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** `worker.json` in a worker's directory: how a supervisor finds it again, and which port it keeps. */
export interface WorkerFile {
  port: number;
  pid: number;
  /** Needed for everything below `/reference/`. */
  token: string;
  startedAt: string;
}

/** Reads the file; returns undefined when it is missing or cannot be read as a worker file. */
export async function readWorkerFile(dir: string): Promise<WorkerFile | undefined> {
  try {
    const parsed: unknown = JSON.parse(await readFile(join(dir, 'worker.json'), 'utf8'));
    return isWorkerFile(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the file atomically, readable only by its owner. */
export async function writeWorkerFile(dir: string, file: WorkerFile): Promise<void> {
  const draft = join(dir, `worker.json.${process.pid}`);
  await writeFile(draft, `${JSON.stringify(file)}\n`, { mode: 0o600 });
  await rename(draft, join(dir, 'worker.json'));
}

function isWorkerFile(value: unknown): value is WorkerFile {
  if (typeof value !== 'object' || value === null) return false;
  const { port, pid, token, startedAt } = value as Record<string, unknown>;
  return (
    Number.isInteger(port) &&
    Number.isInteger(pid) &&
    typeof token === 'string' &&
    typeof startedAt === 'string'
  );
}
