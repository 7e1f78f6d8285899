import type { Readable } from 'node:stream';

/**
 * Passes a stream on and closes it when `use` is over, also when nothing was read of it. An error before the first read
 * would have no listener and end the process; it reaches the reader when it reads.
 */
export async function withStream<Value>(
  source: Readable,
  use: (source: Readable) => Promise<Value>,
): Promise<Value> {
  source.on('error', () => undefined);
  try {
    return await use(source);
  } finally {
    source.destroy();
  }
}
