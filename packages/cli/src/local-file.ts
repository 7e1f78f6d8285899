import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Client } from '@switchyard/client/client';
import type { UploadedFile, UploadOptions } from '@switchyard/client/files';
import { CommandError } from './exit-codes.ts';
import { shippedPath } from './shipped-path.ts';

interface JsonFile {
  maxBytes: number;
  /** `workflow`. */
  noun: string;
  /** The advice for a file with other contents. */
  remedy: string;
}

/** Reads a workflow from a file. The gateway decides whether it can run. */
export function readWorkflow(
  file: string,
  { cwd, maxBytes }: { cwd: string; maxBytes: number },
): Record<string, unknown> {
  const own = resolve(cwd, file);
  const path = existsSync(own) ? own : (shippedSample(file) ?? own);
  const remedy = 'In ComfyUI choose Workflow > Export (API).';
  return readJsonObject(path, { maxBytes, noun: 'workflow', remedy });
}

/** The documents call the samples as in a clone, and they come with each installed program. */
function shippedSample(file: string): string | null {
  const path = /^examples\/workflows\/[\w-]+\.json$/.test(file) ? shippedPath(file) : null;
  return path !== null && existsSync(path) ? path : null;
}

export function readJsonObject(path: string, { maxBytes, noun, remedy }: JsonFile): Record<string, unknown> {
  if (requireFile(path) > maxBytes) {
    throw new CommandError('usage', `${path} is larger than the ${maxBytes} bytes that a ${noun} may have.`);
  }
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch (error) {
    throw new CommandError('usage', `${path} is not valid JSON: ${(error as Error).message}`, error);
  }
  throw new CommandError('usage', `${path} is not a ${noun}. ${remedy}`);
}

/** A file that is sent while it is read, whatever its size. */
export function uploadLocalFile(
  client: Pick<Client, 'upload'>,
  path: string,
  signal: AbortSignal,
  mask: Pick<UploadOptions, 'maskOf' | 'maskPlace'> = {},
): Promise<UploadedFile> {
  const sizeBytes = requireFile(path);
  return client.upload(contentOf(path, sizeBytes), { filename: basename(path), sizeBytes, signal, ...mask });
}

/**
 * Opens the file at the first read, so that a file that cannot be opened is an error of the upload. A file that grows
 * meanwhile is sent up to the announced size, because both must agree.
 */
async function* contentOf(path: string, sizeBytes: number): AsyncGenerator<Uint8Array> {
  if (sizeBytes > 0) yield* createReadStream(path, { end: sizeBytes - 1 }) as AsyncIterable<Uint8Array>;
}

/** Returns the size of the file. A folder or a missing file is reported before anything is sent. */
export function requireFile(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) return stats.size;
  const why = stats === undefined ? 'does not exist' : 'is no file';
  throw new CommandError('usage', `${path} ${why}.`);
}
