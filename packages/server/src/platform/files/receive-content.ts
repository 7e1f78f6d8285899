import { createHash } from 'node:crypto';
import { addAbortSignal, type Readable } from 'node:stream';
import { AppError } from '../../lib/app-error.ts';
import { isJpeg } from '../pictures/picture-size.ts';
import type { PutOptions, StoredContent } from './blob-store.ts';

const headBytes = 512;
/** A JPEG has its size behind what the camera wrote, which is at most 64 kB. */
const jpegHeadBytes = 72 * 1024;
/** Limits how much one step hashes on the event loop, whatever the chunk size of the source. */
const stepBytes = 256 * 1024;

/**
 * Does the common work of all stores around a put: a size that is announced too large is refused before a byte is read,
 * the signal ends the source, and the source is destroyed when `store` fails.
 */
export async function receiveContent(
  source: Readable,
  { signal, declaredBytes, maxBytes }: PutOptions,
  store: () => Promise<StoredContent>,
): Promise<StoredContent> {
  // A sender that disconnects before the first read would otherwise cause an uncaught error. The read reports it.
  source.on('error', () => undefined);
  try {
    if (declaredBytes !== undefined) requireFits(declaredBytes, maxBytes);
    signal?.throwIfAborted();
    if (signal) addAbortSignal(signal, source);
    return await store();
  } catch (error) {
    source.destroy();
    if (signal?.aborted) throw signal.reason;
    throw error;
  }
}

/** Reads a source to its end, hashes it, and hands it to `write` in steps. */
export async function hashContent({
  source,
  maxBytes,
  write,
}: {
  source: Readable;
  maxBytes: number;
  write: (step: Buffer) => Promise<void>;
}): Promise<StoredContent> {
  const hash = createHash('sha256');
  let head = Buffer.alloc(0);
  let sizeBytes = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    requireFits(sizeBytes, maxBytes);
    const missing = (isJpeg(head.length < 3 ? chunk : head) ? jpegHeadBytes : headBytes) - head.length;
    if (missing > 0) head = Buffer.concat([head, chunk.subarray(0, missing)]);
    for (let from = 0; from < chunk.length; from += stepBytes) {
      const step = chunk.subarray(from, from + stepBytes);
      hash.update(step);
      await write(step);
    }
  }
  return { sha256: hash.digest('hex'), sizeBytes, head };
}

export function requireFits(sizeBytes: number, maxBytes: number): void {
  if (sizeBytes <= maxBytes) return;
  throw new AppError('file_too_large', {
    message: `The file is larger than the ${maxBytes} bytes that this gateway accepts.`,
    details: { maxBytes },
  });
}
