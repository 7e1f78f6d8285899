import { describe, expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { streamLogConformance } from '../../../testing/stream-log-conformance.ts';
import { MemoryStreamLog } from './memory-stream-log.ts';
import { partBytes, type StreamPart } from './stream-log.ts';

streamLogConformance('memory', async (limits) => {
  const time = new ManualTime();
  const log = new MemoryStreamLog({ limits, clock: time.now, timer: time.timer });
  return {
    writer: log,
    reader: log,
    arrive: async () => {
      for (let i = 0; i < 3; i += 1) await new Promise((resolve) => setImmediate(resolve));
    },
    pass: async (forMs) => time.advance(forMs),
    close: () => log.close(),
  };
});

function framesOf(part: StreamPart | undefined) {
  return part?.type === 'frames' ? part.frames : [];
}

describe('the stream log in memory', () => {
  const signal = new AbortController().signal;

  async function nextFrames(reading: AsyncGenerator<StreamPart, void>) {
    return framesOf((await reading.next()).value ?? undefined);
  }

  test('gives a reader the frames of one turn of the event loop together', async () => {
    const log = new MemoryStreamLog();
    log.begin('run', { base: 0 });
    const reading = log.read('run', { after: 0, signal });
    const first = nextFrames(reading);
    for (let i = 0; i < 100; i += 1) {
      log.append('run', 'n', String(i));
      await Promise.resolve();
    }
    expect((await first).length).toBe(100);
  });

  test('gives a reader each frame as it is sent, also after the end', async () => {
    const log = new MemoryStreamLog({ now: () => 5 });
    log.begin('run', { base: 0 });
    log.append('run', 'n|sub:1', '"漢字"');
    const [frame] = await nextFrames(log.read('run', { after: 0, signal }));
    expect(frame).toEqual({
      id: 1,
      event: 'n|sub:1',
      text: 'event: n|sub:1\nid: 1\ndata: "漢字"\n\n',
      sizeBytes: 37,
      atMs: 5,
    });
    log.end('run');
    expect(await nextFrames(log.read('run', { after: 0, signal }))).toEqual([frame]);
  });

  test('gives a reader no more at once than it can write', async () => {
    const log = new MemoryStreamLog();
    log.begin('run', { base: 0 });
    for (let i = 0; i < 10; i += 1) log.append('run', 'n', JSON.stringify('x'.repeat(partBytes / 4)));
    log.end('run');
    for await (const part of log.read('run', { after: 0, signal })) {
      const bytes = framesOf(part).reduce((sum, frame) => sum + frame.sizeBytes, 0);
      expect(bytes).toBeLessThanOrEqual(partBytes);
    }
  });

  test('holds nothing once the retention of ended streams is over', async () => {
    const time = new ManualTime();
    const log = new MemoryStreamLog({ clock: time.now, timer: time.timer });
    for (const key of ['a', 'b', 'c']) {
      log.begin(key, { base: 0 });
      log.append(key, 'n', '1');
      log.end(key);
      time.advance(30_000);
    }
    expect(log.bytes).toBeGreaterThan(3_000);
    time.advance(120_000);
    expect(log.bytes).toBe(0);
    expect(time.nextTimerMs).toBeNull();
  });

  test('counts streams without frames as well', () => {
    const log = new MemoryStreamLog({ limits: { bytes: 10_000 } });
    for (let i = 0; i < 1_000; i += 1) log.end(`run-${i}`);
    expect(log.bytes).toBeLessThanOrEqual(10_000);
  });

  test('keeps a stream that continued after its end', async () => {
    const time = new ManualTime();
    const log = new MemoryStreamLog({ clock: time.now, timer: time.timer });
    log.begin('run', { base: 0 });
    log.end('run');
    log.begin('run', { base: 1_000_000 });
    time.advance(600_000);
    expect(await log.has('run')).toBe(true);
  });

  test('forgets a stream that never began', async () => {
    const log = new MemoryStreamLog();
    const stop = new AbortController();
    const waiting = log.read('run', { after: 0, signal: stop.signal }).next();
    stop.abort();
    expect((await waiting).done).toBe(true);
    log.end('run');
    expect(log.bytes).toBe(1_024);
  });
});
