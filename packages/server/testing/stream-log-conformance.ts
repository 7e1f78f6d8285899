import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dataOf } from '../src/platform/stream-log/stream-frame.ts';
import {
  partBytes,
  readerGrace,
  StreamBroken,
  type StreamLog,
  type StreamLogLimits,
  type StreamPart,
} from '../src/platform/stream-log/stream-log.ts';

export interface StreamLogVariant {
  /** Two ends of one log: two replicas, or the same object twice when there is only one process. */
  writer: StreamLog;
  reader: StreamLog;
  /** Lets what was written reach the readers. */
  arrive(): Promise<void>;
  /** Lets time pass. */
  pass(forMs: number): Promise<void>;
  close(): Promise<void>;
}

const limits: StreamLogLimits = {
  framesPerRun: 10,
  bytesPerRun: 100_000,
  bytes: 300_000,
  retentionMs: 120_000,
};

/** A short form of a frame: id, name, data. */
type Seen = [number, string, unknown];

/** The behaviour of every variant of the stream log. */
export function streamLogConformance(
  name: string,
  makeVariant: (limits: StreamLogLimits) => Promise<StreamLogVariant>,
): void {
  describe(`stream log: ${name}`, () => {
    let variant: StreamLogVariant;
    let stop: AbortController;
    let writer: StreamLog;

    beforeEach(async () => {
      variant = await makeVariant(limits);
      writer = variant.writer;
      stop = new AbortController();
    });
    afterEach(async () => {
      stop.abort();
      await variant.close();
    });

    const read = (key: string, after = 0) => variant.reader.read(key, { after, signal: stop.signal });

    /** Appends frames named `n` with ascending numbers. */
    function write(key: string, count: number, size = 0): void {
      for (let i = 0; i < count; i += 1)
        writer.append(key, 'n', JSON.stringify(size === 0 ? i : 'x'.repeat(size)));
    }

    /** Lets frames beyond the limits go everywhere: readers that keep up have had their time. */
    async function settle(): Promise<void> {
      await variant.arrive();
      await variant.pass(readerGrace.forMs + 1);
      await variant.arrive();
    }

    const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

    test('a stream is ended when it was there and is over', async () => {
      expect(await variant.reader.isEnded('run')).toBe(false);
      writer.begin('run', { base: 0 });
      write('run', 1);
      await variant.arrive();
      expect(await variant.reader.isEnded('run')).toBe(false);
      writer.end('run');
      await variant.arrive();
      expect(await variant.reader.isEnded('run')).toBe(true);
    });

    describe('a stream', () => {
      test('gives its frames in order, with ids from base + 1', async () => {
        writer.begin('run', { base: 0 });
        expect(writer.append('run', 'metadata', '{"run_id":"run"}')).toBe(1);
        expect(writer.append('run', 'values', '{"text":"Grüße, 東京 🙂"}')).toBe(2);
        writer.end('run');
        expect(await collect(read('run'))).toEqual([
          [1, 'metadata', { run_id: 'run' }],
          [2, 'values', { text: 'Grüße, 東京 🙂' }],
        ]);
      });

      test('is encoded as it is sent', async () => {
        writer.begin('run', { base: 6 });
        writer.append('run', 'messages|agent:1', '["a\\nb"]');
        writer.end('run');
        const parts = await allParts(read('run', 6));
        expect(parts.flatMap(framesOf).map(({ text }) => text)).toEqual([
          'event: messages|agent:1\nid: 7\ndata: ["a\\nb"]\n\n',
        ]);
      });

      test('can be read before it begins', async () => {
        const frames = collect(read('run'));
        await variant.arrive();
        writer.begin('run', { base: 0 });
        write('run', 1);
        writer.end('run');
        expect(await frames).toEqual([[1, 'n', 0]]);
      });

      test('gives each of many readers every frame, whenever they come', async () => {
        const early = [collect(read('run')), collect(read('run'))];
        writer.begin('run', { base: 0 });
        write('run', 3);
        await variant.arrive();
        const late = collect(read('run'));
        write('run', 3);
        await variant.arrive();
        writer.end('run');
        const all = await Promise.all([...early, late, collect(read('run'))]);
        for (const frames of all) expect(frames.map(([id]) => id)).toEqual(ids(1, 6));
      });

      test('is replayed from every id that is retained', async () => {
        writer.begin('run', { base: 0 });
        write('run', 5);
        writer.end('run');
        for (const after of ids(0, 5)) {
          const frames = await collect(read('run', after));
          expect(frames.map(([id]) => id)).toEqual(ids(after + 1, 5));
        }
      });

      test('continues live after the replay, without a gap or a duplicate', async () => {
        writer.begin('run', { base: 0 });
        write('run', 2);
        const seen: number[] = [];
        for await (const [id] of frames(read('run'))) {
          seen.push(id);
          if (id < 8) write('run', 1);
          else writer.end('run');
        }
        expect(seen.slice(0, 8)).toEqual(ids(1, 8));
        expect(seen).toEqual(ids(1, seen.length));
      });

      test('is separate from other streams', async () => {
        writer.begin('a', { base: 0 });
        writer.begin('b', { base: 0 });
        writer.append('a', 'n', '"a"');
        writer.append('b', 'n', '"b"');
        writer.end('a');
        expect(await collect(read('a'))).toEqual([[1, 'n', 'a']]);
      });

      test('treats an unknown id as its newest', async () => {
        writer.begin('run', { base: 0 });
        write('run', 3);
        const rest = collect(read('run', 99));
        await variant.arrive();
        write('run', 1);
        writer.end('run');
        expect((await rest).map(([id]) => id)).toEqual([4]);
      });

      test('refuses frames before it begins and after it ends', () => {
        expect(() => writer.append('run', 'n', '1')).toThrow('run is not open');
        writer.begin('run', { base: 0 });
        writer.end('run');
        expect(() => writer.append('run', 'n', '1')).toThrow('run is not open');
      });

      test('refuses a name or data that would forge another event', () => {
        writer.begin('run', { base: 0 });
        expect(() => writer.append('run', 'n\ndata: x', '1')).toThrow('line break');
        expect(() => writer.append('run', 'n', '1\n\nevent: error')).toThrow('line break');
        expect(writer.append('run', 'n', '1')).toBe(1);
      });
    });

    describe('the end', () => {
      test('comes after the remaining frames', async () => {
        writer.begin('run', { base: 0 });
        write('run', 4);
        const reading = collect(read('run'));
        writer.end('run');
        expect((await reading).length).toBe(4);
      });

      test('reaches readers that wait for a stream that never began, and later readers', async () => {
        const waiting = collect(read('run'));
        await variant.arrive();
        writer.end('run');
        expect(await waiting).toEqual([]);
        expect(await collect(read('run'))).toEqual([]);
      });

      test('may be called twice', async () => {
        writer.begin('run', { base: 0 });
        write('run', 1);
        writer.end('run');
        writer.end('run');
        expect((await collect(read('run'))).length).toBe(1);
      });

      test('keeps the frames for the retention time, then frees them', async () => {
        writer.begin('run', { base: 0 });
        write('run', 2);
        await variant.arrive();
        expect(await variant.reader.has('run')).toBe(true);
        writer.end('run');
        await variant.arrive();
        await variant.pass(limits.retentionMs - 1);
        expect((await collect(read('run'))).length).toBe(2);
        await variant.pass(2);
        expect(await variant.reader.has('run')).toBe(false);
      });

      test('does not free a stream that is still open', async () => {
        writer.begin('done', { base: 0 });
        writer.begin('open', { base: 0 });
        writer.end('done');
        await variant.arrive();
        await variant.pass(2 * limits.retentionMs);
        expect([await variant.reader.has('done'), await variant.reader.has('open')]).toEqual([false, true]);
      });
    });

    describe('a reader', () => {
      test('ends when its signal aborts, before the stream begins and afterwards', async () => {
        const waiting = collect(read('never'));
        writer.begin('run', { base: 0 });
        write('run', 1);
        const reading = collect(read('run'));
        await variant.arrive();
        stop.abort();
        expect(await waiting).toEqual([]);
        expect((await reading).length).toBe(1);
        expect(await variant.reader.has('never')).toBe(false);
      });

      test('may leave the loop', async () => {
        writer.begin('run', { base: 0 });
        write('run', 3);
        for await (const [id] of frames(read('run'))) {
          expect(id).toBe(1);
          break;
        }
        writer.end('run');
        expect((await collect(read('run'))).length).toBe(3);
      });

      test('that is overtaken is told and disconnected; the others miss nothing', async () => {
        writer.begin('run', { base: 0 });
        write('run', 2);
        const slow = read('run');
        expect((await nextPart(slow))?.type).toBe('frames');
        await variant.pass(readerGrace.forMs + 1);
        const seen: number[] = [];
        const quick = (async () => {
          for await (const [id] of frames(read('run'))) seen.push(id);
        })();
        for (let round = 0; round < 4; round += 1) {
          write('run', limits.framesPerRun / 2);
          await variant.arrive();
        }
        await settle();
        expect(await nextPart(slow)).toEqual({ type: 'gap', requested: 2, earliest: 13, latest: 22 });
        await expect(slow.next()).rejects.toThrow(new StreamBroken('overtaken'));
        writer.end('run');
        await quick;
        expect(seen).toEqual(ids(1, 22));
      });
    });

    describe('a reader that keeps up', () => {
      const max = readerGrace.times * limits.framesPerRun;

      test('misses nothing when a run produces more at once than is retained', async () => {
        const seen = collect(read('run'));
        writer.begin('run', { base: 0 });
        await variant.arrive();
        await variant.pass(10 * readerGrace.forMs);
        write('run', max);
        await variant.arrive();
        write('run', 1);
        writer.end('run');
        expect((await seen).map(([id]) => id)).toEqual(ids(1, max + 1));
        await settle();
        const parts = await allParts(read('run'));
        expect(parts[0]?.type).toBe('gap');
        expect(parts.flatMap(framesOf).length).toBe(limits.framesPerRun);
      });

      test('gets extra frames only up to a limit', async () => {
        writer.begin('run', { base: 0 });
        const reading = read('run');
        const first = nextPart(reading);
        await variant.arrive();
        write('run', max + 1);
        const gap = await first;
        expect(gap).toMatchObject({ type: 'gap', requested: 0, earliest: 2 });
        // Another replica may report the gap before it has seen the newest frame.
        expect(gap?.type === 'gap' && gap.latest).toBeGreaterThanOrEqual(2);
        await expect(reading.next()).rejects.toThrow(new StreamBroken('overtaken'));
      });
    });

    describe('what is retained', () => {
      test('is bounded in number; a reader that asks for more is told of the gap and gets the rest', async () => {
        writer.begin('run', { base: 0 });
        write('run', 25);
        writer.end('run');
        await settle();
        const parts = await allParts(read('run', 3));
        expect(parts[0]).toEqual({ type: 'gap', requested: 3, earliest: 16, latest: 25 });
        expect(parts.flatMap(framesOf).map(({ id }) => id)).toEqual(ids(16, 25));
      });

      test('has no gap for a reader that has seen the last evicted frame', async () => {
        writer.begin('run', { base: 0 });
        write('run', 25);
        writer.end('run');
        await settle();
        expect((await collect(read('run', 15))).map(([id]) => id)).toEqual(ids(16, 25));
      });

      test('is bounded in bytes for each run', async () => {
        writer.begin('run', { base: 0 });
        write('run', 8, 20_000);
        writer.end('run');
        await settle();
        const parts = await allParts(read('run'));
        expect(parts[0]?.type).toBe('gap');
        const kept = parts.flatMap(framesOf);
        const bytes = kept.reduce((sum, frame) => sum + frame.sizeBytes, 0);
        expect(kept.length).toBeGreaterThan(2);
        expect(bytes).toBeLessThanOrEqual(limits.bytesPerRun);
        expect(kept.at(-1)?.id).toBe(8);
      });

      test('includes the newest frame, however large', async () => {
        writer.begin('run', { base: 0 });
        write('run', 2);
        write('run', 1, 2 * limits.bytesPerRun);
        writer.end('run');
        await settle();
        expect((await collect(read('run', 2))).map(([id]) => id)).toEqual([3]);
      });

      test('is bounded in bytes for all runs; those that ended first are removed first', async () => {
        for (const key of ['first', 'second', 'third']) {
          writer.begin(key, { base: 0 });
          write(key, 4, 20_000);
        }
        writer.end('second');
        writer.end('first');
        writer.begin('fourth', { base: 0 });
        write('fourth', 4, 20_000);
        await variant.arrive();
        expect(await Promise.all(['first', 'second', 'third'].map((key) => variant.reader.has(key)))).toEqual(
          [true, false, true],
        );
      });

      test('is bounded in bytes when nothing has ended, and each stream keeps its newest frame', async () => {
        const keys = ids(1, 8).map(String);
        for (const key of keys) {
          writer.begin(key, { base: 0 });
          write(key, 4, 20_000);
        }
        await settle();
        let bytes = 0;
        for (const key of keys) {
          writer.end(key);
          await variant.arrive();
          const kept = (await allParts(read(key))).flatMap(framesOf);
          bytes += kept.reduce((sum, frame) => sum + frame.sizeBytes, 0);
          expect(kept.at(-1)?.id).toBe(4);
        }
        expect(bytes).toBeLessThanOrEqual(limits.bytes);
      });
    });

    describe('what is retained now', () => {
      const retained = (key: string) => allParts(variant.reader.retained(key));

      test('is given without waiting for more, of a stream that is open and of one that has ended', async () => {
        expect(await retained('run')).toEqual([]);
        writer.begin('run', { base: 0 });
        write('run', 4);
        await variant.arrive();
        const open = await retained('run');
        expect(open.flatMap(framesOf).map(({ id }) => id)).toEqual(ids(1, 4));
        writer.end('run');
        await variant.arrive();
        expect(await retained('run')).toEqual(open);
      });

      test('begins with a gap when earlier frames are gone', async () => {
        writer.begin('run', { base: 0 });
        write('run', 25);
        await settle();
        const [gap, ...rest] = await retained('run');
        expect(gap).toEqual({ type: 'gap', requested: 0, earliest: 16, latest: 25 });
        expect(rest.flatMap(framesOf).map(({ id }) => id)).toEqual(ids(16, 25));
      });

      test('comes in parts of a bounded size', async () => {
        writer.begin('run', { base: 0 });
        write('run', 3, partBytes / 2);
        await variant.arrive();
        const parts = await retained('run');
        expect(parts.map((part) => framesOf(part).map(({ id }) => id))).toEqual([[1], [2], [3]]);
      });

      test('is nothing after the writer has given up', async () => {
        writer.begin('run', { base: 0 });
        write('run', 2);
        await variant.arrive();
        writer.abandon('run');
        await variant.arrive();
        expect(await retained('run')).toEqual([]);
      });
    });

    describe('a stream that is taken over', () => {
      test('disconnects its readers when its writer gives up, and forgets its frames', async () => {
        writer.begin('run', { base: 0 });
        write('run', 2);
        const reading = read('run');
        await nextPart(reading);
        writer.abandon('run');
        await expect(reading.next()).rejects.toThrow(new StreamBroken('abandoned'));
        await variant.arrive();
        expect(await variant.reader.has('run')).toBe(false);
      });

      test('tells a returning reader of the gap and continues at the new base', async () => {
        writer.begin('run', { base: 0 });
        write('run', 2);
        writer.abandon('run');
        const back = allParts(read('run', 2));
        await variant.arrive();
        writer.begin('run', { base: 1_000_000 });
        write('run', 1);
        writer.end('run');
        const parts = await back;
        expect(parts[0]).toMatchObject({ type: 'gap', requested: 2, earliest: 1_000_001 });
        expect(parts.flatMap(framesOf).map(({ id }) => id)).toEqual([1_000_001]);
      });

      test('continues for its readers when the same log takes it up again', async () => {
        const reading = collect(read('run'));
        writer.begin('run', { base: 0 });
        write('run', 2);
        await variant.arrive();
        writer.begin('run', { base: 1_000_000 });
        write('run', 1);
        writer.end('run');
        expect((await reading).map(([id]) => id)).toEqual([1, 2, 1_000_001]);
        expect((await collect(read('run', 1))).map(([id]) => id)).toEqual([2, 1_000_001]);
      });

      test('cannot go back with its ids', () => {
        writer.begin('run', { base: 0 });
        write('run', 2);
        expect(() => writer.begin('run', { base: 0 })).toThrow('ids ascend');
      });
    });

    test('disconnects its readers when it closes, and accepts no more frames', async () => {
      writer.begin('run', { base: 0 });
      write('run', 1);
      const reading = read('run');
      await nextPart(reading);
      const broken = expect(reading.next()).rejects.toThrow(new StreamBroken('closed'));
      await variant.reader.close();
      await broken;
      await expect(read('run').next()).rejects.toThrow(new StreamBroken('closed'));
    });
  });
}

async function nextPart(reading: AsyncGenerator<StreamPart, void>): Promise<StreamPart | undefined> {
  return (await reading.next()).value ?? undefined;
}

async function allParts(reading: AsyncIterable<StreamPart>): Promise<StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const part of reading) parts.push(part);
  return parts;
}

function framesOf(part: StreamPart) {
  return part.type === 'frames' ? part.frames : [];
}

/** The frames of a read. A gap fails the test. */
async function* frames(reading: AsyncIterable<StreamPart>): AsyncGenerator<Seen, void, undefined> {
  for await (const part of reading) {
    if (part.type === 'gap') throw new Error(`An unexpected gap after ${part.requested}.`);
    for (const frame of part.frames) yield [frame.id, frame.event, JSON.parse(dataOf(frame)) as unknown];
  }
}

async function collect(reading: AsyncIterable<StreamPart>): Promise<Seen[]> {
  const seen: Seen[] = [];
  for await (const frame of frames(reading)) seen.push(frame);
  return seen;
}
