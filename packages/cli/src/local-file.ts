import { createReadStream, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Client } from '@switchyard/client/client';
import type { UploadedFile } from '@switchyard/client/files';
import { CommandError } from './exit-codes.ts';

interface JsonFile {
  largestBytes: number;
  /** `workflow`. */
  noun: string;
  /** What to do about a file that holds something else. */
  remedy: string;
}

/** A workflow in a file; whether it can run is for the gateway to say. */
export function readWorkflow(path: string, largestBytes: number): Record<string, unknown> {
  const remedy = 'In ComfyUI choose Workflow > Export (API).';
  return readJsonObject(path, { largestBytes, noun: 'workflow', remedy });
}

export function readJsonObject(
  path: string,
  { largestBytes, noun, remedy }: JsonFile,
): Record<string, unknown> {
  if (requireFile(path) > largestBytes) {
    throw new CommandError(
      'usage',
      `${path} is larger than the ${largestBytes} bytes that a ${noun} may have.`,
    );
  }
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch (error) {
    throw new CommandError('usage', `${path} is no JSON: ${(error as Error).message}`, error);
  }
  throw new CommandError('usage', `${path} is no ${noun}. ${remedy}`);
}

/** Sent while it is read, whatever its size. */
export function uploadLocalFile(
  client: Pick<Client, 'upload'>,
  path: string,
  signal: AbortSignal,
): Promise<UploadedFile> {
  const sizeBytes = requireFile(path);
  return client.upload(contentOf(path, sizeBytes), { filename: basename(path), sizeBytes, signal });
}

/**
 * Opened at the first read: a file that cannot be opened is then an error of the upload. A file that grows meanwhile is
 * sent as it was: what was announced and what is sent must agree.
 */
async function* contentOf(path: string, sizeBytes: number): AsyncGenerator<Uint8Array> {
  if (sizeBytes > 0) yield* createReadStream(path, { end: sizeBytes - 1 }) as AsyncIterable<Uint8Array>;
}

/** Its size. A folder, or nothing, is told before anything is sent. */
export function requireFile(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) return stats.size;
  const why = stats === undefined ? 'does not exist' : 'is no file';
  throw new CommandError('usage', `${path} ${why}.`);
}
