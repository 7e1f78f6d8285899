import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { startS3Server } from '@switchyard/dev-env/s3-server';
import type { BlobStore } from '@switchyard/server/platform/files/blob-store';
import { type S3Fixture, s3Fixture } from '../../packages/server/testing/s3-store-fixture.ts';
import { BareS3Client } from '../bare-s3-client.ts';
import { isRehearsal, measure } from '../measure.ts';
import { cpuTimeUs, mainThreadMs, residentMb } from '../process-usage.ts';
import { median } from '../statistics.ts';

const smallBytes = 20_000;
const smallFiles = isRehearsal ? 40 : 600;
const atOnce = 8;
const largeBytes = isRehearsal ? 32 * 1024 * 1024 : 1024 ** 3;
/**
 * Store and bare client take turns, so that a slow moment of the machine affects both. The first download of each follows an upload,
 * which the disk is still busy with, so it does not count.
 */
const rounds = isRehearsal ? 1 : 3;
const piece = randomBytes(64 * 1024);

await measure('s3', 'Files in a bucket, on an S3 server of this machine', async () => {
  const server = await startS3Server();
  const stores = await s3Fixture(server, 'bench/');
  try {
    const store = await stores.open();
    const bare = new BareS3Client(server);
    await storeSmall(store, atOnce);
    const small = await storeSmall(store, smallFiles);
    const times: Record<'up' | 'bareUp' | 'down' | 'bareDown', number[]> = {
      up: [],
      bareUp: [],
      down: [],
      bareDown: [],
    };
    const cpuMs = { down: 0, bareDown: 0 };
    let grownMb = 0;
    for (let round = 0; round < rounds; round += 1) {
      const before = residentMb(process.pid);
      const watch = setInterval(() => {
        grownMb = Math.max(grownMb, residentMb(process.pid) - before);
      }, 100);
      const source = () => sourceOf(largeBytes, round);
      const { ms, result } = await timed(() => store.put(source(), { maxBytes: 2 * largeBytes }));
      times.up.push(ms);
      const down = async () => drained((await store.open(result.sha256))?.stream);
      const bareDown = async () => drained(await bare.download(`bare-${round}`));
      await down();
      clearInterval(watch);
      times.bareUp.push((await timed(() => bare.upload(`bare-${round}`, source()))).ms);
      await bareDown();
      for (const whose of ['down', 'bareDown', 'bareDown', 'down'] as const) {
        const cpuUs = cpuTimeUs(process.pid);
        times[whose].push((await timed(whose === 'down' ? down : bareDown)).ms);
        cpuMs[whose] += (cpuTimeUs(process.pid) - cpuUs) / 1_000 / (2 * rounds);
      }
      await emptied(stores);
    }
    const rate = (ms: number[]) => largeBytes / 1e6 / (median(ms) / 1000);
    const upShare = (100 * rate(times.up)) / rate(times.bareUp);
    const downShare = (100 * rate(times.down)) / rate(times.bareDown);
    return {
      figures: [
        { name: 'main thread for 20 kB, stored and served', value: small.mainMs, unit: 'ms' },
        { name: `files of 20 kB, stored and served, ${atOnce} at once`, value: small.perSecond, unit: '/s' },
        { name: '1 GB stored, MB per second', value: rate(times.up), unit: '' },
        {
          name: 'baseline: bare client, unsigned bodies, MB per second',
          value: rate(times.bareUp),
          unit: '',
        },
        { name: 'stored, of the bare client', value: upShare, unit: '%' },
        { name: '1 GB served, hash compared, MB per second', value: rate(times.down), unit: '' },
        { name: 'baseline: bare client, MB per second', value: rate(times.bareDown), unit: '' },
        { name: 'served, of the bare client', value: downShare, unit: '%' },
        { name: 'processor time for 1 GB served', value: cpuMs.down, unit: 'ms' },
        { name: 'baseline: bare client, processor time', value: cpuMs.bareDown, unit: 'ms' },
        { name: 'memory that the process grows by meanwhile', value: grownMb, unit: 'MB' },
      ],
      bars: [
        {
          promise: 'an output of 20 kB, stored and served: ≤ 2 ms of the main thread',
          isMet: small.mainMs <= 2,
        },
        { promise: '1 GB is stored at ≥ 80 % of the bare client', isMet: upShare >= 80 },
        { promise: '1 GB is served at ≥ 80 % of the bare client', isMet: downShare >= 80 },
      ],
      notes: [
        'The server is s3rver, which hashes every upload itself; it has the other core of the machine.',
      ],
    };
  } finally {
    await stores.close();
    await server.stop();
  }
});

async function storeSmall(store: BlobStore, count: number): Promise<{ mainMs: number; perSecond: number }> {
  const contents = Array.from({ length: count }, () => randomBytes(smallBytes));
  const rest = contents.values();
  const began = performance.now();
  const mainBegan = mainThreadMs(process.pid);
  const lane = async () => {
    for (const content of rest) {
      const { sha256 } = await store.put(Readable.from([content], { objectMode: false }), { maxBytes: 1e9 });
      await drained((await store.open(sha256))?.stream);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return {
    mainMs: (mainThreadMs(process.pid) - mainBegan) / count,
    perSecond: count / ((performance.now() - began) / 1000),
  };
}

/** Content of this size that no other round has. */
function sourceOf(sizeBytes: number, round: number): Readable {
  const first = createHash('sha512').update(`${round} ${Math.random()}`).digest();
  function* pieces(): Generator<Buffer> {
    yield first;
    for (let left = sizeBytes - first.length; left > 0; left -= piece.length) yield piece.subarray(0, left);
  }
  return Readable.from(pieces(), { objectMode: false });
}

async function drained(stream: AsyncIterable<Uint8Array> | null | undefined): Promise<number> {
  if (!stream) throw new Error('There is no content.');
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.length;
  return bytes;
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ ms: number; result: Result }> {
  const began = performance.now();
  const result = await work();
  return { ms: performance.now() - began, result };
}

/** Removes what a round has stored, so that the next one has the disk for itself. */
async function emptied({ objects, keys }: S3Fixture): Promise<void> {
  const all = objects();
  await keys.clear();
  // The server fails at a list whose objects go meanwhile.
  const found: string[] = [];
  for (const beginning of ['content/', 'bare-'])
    for await (const page of all.pages(beginning)) found.push(...page.objects.map(({ key }) => key));
  for (const key of found) await all.delete(key);
}
