import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './statistics.ts';

const rounds = 200;
const page = Buffer.alloc(4096, 1);

/** The disk's share of a durable write: one page appended and synced, the median of 200 tries. */
export function fsyncMsP50(folder: string): number {
  const file = openSync(join(folder, 'fsync-probe'), 'w');
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    writeSync(file, page);
    const started = performance.now();
    fsyncSync(file);
    took.push(performance.now() - started);
  }
  closeSync(file);
  return median(took);
}
