import { type RedisProcess, startRedis, testRedis } from '@switchyard/dev-env/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { openTestRedis } from '../../../testing/redis-fixture.ts';
import { streamLogConformance } from '../../../testing/stream-log-conformance.ts';
import { RedisStreamLog } from './redis-stream-log.ts';
import type { StreamLogLimits, StreamPart } from './stream-log.ts';

const { title, isSkipped } = testRedis('the stream log over Redis');

describe.skipIf(isSkipped)(title, () => {
  let server: RedisProcess;
  let prefixes = 0;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  /** Several replicas of one cluster. */
  async function replicas(
    count: number,
    { url = server.url, limits, time }: { url?: string; limits?: StreamLogLimits; time?: ManualTime } = {},
  ) {
    prefixes += 1;
    const prefix = `test-${prefixes}`;
    const servers = await Promise.all(
      Array.from({ length: count }, () => openTestRedis(url, prefix, { limits: { beatMs: 50 } })),
    );
    const logs = await Promise.all(
      servers.map((redis) =>
        RedisStreamLog.open({
          redis,
          ...(limits && { limits }),
          ...(time && { clock: time.now, timer: time.timer }),
        }),
      ),
    );
    const close = async (): Promise<void> => {
      await Promise.all(logs.map((log) => log.close()));
      for (const redis of servers) redis.close();
    };
    const [first, second = first] = logs;
    const [redis] = servers;
    if (!first || !second || !redis) throw new Error('At least one replica is needed.');
    const isReady = () => servers.every(({ commands, fault }) => commands.status === 'ready' && !fault);
    return { writer: first, reader: second, logs, servers, redis, prefix, isReady, close };
  }

  streamLogConformance('redis, two replicas', async (limits) => {
    const time = new ManualTime();
    const { writer, reader, servers, close } = await replicas(2, { limits, time });
    // A reader asks over its first connection, so what it has asked before is answered first.
    const arrive = async (): Promise<void> => {
      for (let i = 0; i < 20; i += 1) {
        await writer.settled();
        for (const { commands } of servers) await commands.ping();
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    return {
      writer,
      reader,
      arrive,
      pass: async (forMs) => {
        time.advance(forMs);
        await arrive();
      },
      close,
    };
  });

  streamLogConformance('redis, one replica', async (limits) => {
    const time = new ManualTime();
    const { writer, close } = await replicas(1, { limits, time });
    const arrive = async (): Promise<void> => {
      for (let i = 0; i < 3; i += 1) await writer.settled();
    };
    return {
      writer,
      reader: writer,
      arrive,
      pass: async (forMs) => {
        time.advance(forMs);
        await arrive();
      },
      close,
    };
  });

  const never = new AbortController().signal;

  async function idsOf(reading: AsyncIterable<StreamPart>): Promise<(number | 'gap')[]> {
    const ids: (number | 'gap')[] = [];
    for await (const part of reading) {
      if (part.type === 'gap') ids.push('gap');
      else ids.push(...part.frames.map(({ id }) => id));
    }
    return ids;
  }

  function write(log: RedisStreamLog, count: number): void {
    for (let i = 0; i < count; i += 1) log.append('run', 'n', String(i));
  }

  describe('a writer that another one has followed', () => {
    it('is refused by Redis, and no reader elsewhere sees its frames', async () => {
      const { logs, close } = await replicas(3);
      const [old, next, reader] = logs as [RedisStreamLog, RedisStreamLog, RedisStreamLog];
      const seen = idsOf(reader.read('run', { after: 0, signal: never }));
      old.begin('run', { base: 0 });
      write(old, 2);
      await old.settled();
      next.begin('run', { base: 1_000 });
      write(next, 1);
      await next.settled();
      write(old, 3);
      await old.settled();
      old.abandon('run');
      await old.settled();
      write(next, 1);
      next.end('run');
      expect(await seen).toEqual([1, 2, 1_001, 1_002]);
      expect(await idsOf(reader.read('run', { after: 0, signal: never }))).toEqual([1, 2, 1_001, 1_002]);
      await close();
    });

    it('leaves its frames to a reader that comes back to the successor', async () => {
      const { writer, reader, close } = await replicas(2);
      writer.begin('run', { base: 0 });
      write(writer, 3);
      await writer.settled();
      reader.begin('run', { base: 1_000 });
      write(reader, 1);
      reader.end('run');
      await reader.settled();
      expect(await idsOf(reader.read('run', { after: 2, signal: never }))).toEqual([3, 1_001]);
      expect(await idsOf(reader.read('run', { after: 0, signal: never }))).toEqual([1, 2, 3, 1_001]);
      await close();
    });
  });

  describe('while Redis is away', () => {
    it('goes on for local readers, breaks readers elsewhere off, and gives them all when it is back', async () => {
      const own = await startRedis();
      const { writer, reader, isReady, close } = await replicas(2, { url: own.url });
      writer.begin('run', { base: 0 });
      write(writer, 2);
      const local = idsOf(writer.read('run', { after: 0, signal: never }));
      const remote = reader.read('run', { after: 0, signal: never });
      expect((await remote.next()).value).toMatchObject({ type: 'frames' });
      const broken = expect(
        (async () => {
          for await (const _ of remote);
        })(),
      ).rejects.toMatchObject({ reason: 'lost' });
      await own.kill();
      await broken;
      write(writer, 2);
      await own.restart();
      await expect.poll(isReady).toBe(true);
      const back = idsOf(reader.read('run', { after: 2, signal: never }));
      write(writer, 1);
      writer.end('run');
      expect(await local).toEqual([1, 2, 3, 4, 5]);
      expect(await back).toEqual([3, 4, 5]);
      await close();
      await own.stop();
    });

    it('lets a run begin, be read and end where it is written', async () => {
      const own = await startRedis();
      const { writer, servers, close } = await replicas(1, { url: own.url });
      await own.kill();
      await expect.poll(() => servers[0]?.fault).not.toBeNull();
      const early = idsOf(writer.read('run', { after: 0, signal: never }));
      writer.begin('run', { base: 0 });
      write(writer, 2);
      writer.end('run');
      expect(await early).toEqual([1, 2]);
      expect(await writer.has('run')).toBe(true);
      expect(await writer.has('another')).toBe(false);
      await close();
      await own.stop();
    });

    it('does not hold up the writer when Redis stands still', async () => {
      const own = await startRedis();
      const { writer, reader, isReady, close } = await replicas(2, { url: own.url });
      own.freeze();
      writer.begin('run', { base: 0 });
      write(writer, 3);
      const local = idsOf(writer.read('run', { after: 0, signal: never }));
      writer.end('run');
      expect(await local).toEqual([1, 2, 3]);
      own.thaw();
      await expect.poll(isReady).toBe(true);
      expect(await idsOf(reader.read('run', { after: 0, signal: never }))).toEqual([1, 2, 3]);
      await close();
      await own.stop();
    });

    it('gives readers elsewhere what they miss after Redis was full', async () => {
      const own = await startRedis();
      const { writer, reader, close } = await replicas(2, { url: own.url });
      writer.begin('run', { base: 0 });
      write(writer, 1);
      await writer.settled();
      await own.command('CONFIG', 'SET', 'maxmemory', '1');
      write(writer, 2);
      await writer.settled();
      await own.command('CONFIG', 'SET', 'maxmemory', '0');
      write(writer, 1);
      writer.end('run');
      expect(await idsOf(reader.read('run', { after: 0, signal: never }))).toEqual([1, 2, 3, 4]);
      await close();
      await own.stop();
    });
  });

  it('goes on after Redis was emptied; a reader that comes late is told of the gap', async () => {
    const own = await startRedis();
    const { writer, reader, close } = await replicas(2, { url: own.url });
    writer.begin('run', { base: 0 });
    write(writer, 2);
    const present = reader.read('run', { after: 0, signal: never });
    expect((await present.next()).value).toMatchObject({ type: 'frames' });
    const rest = idsOf(present);
    await writer.settled();
    await own.flush();
    write(writer, 2);
    await writer.settled();
    const late = idsOf(reader.read('run', { after: 0, signal: never }));
    writer.end('run');
    expect((await rest).filter((id) => id !== 2)).toEqual([3, 4]);
    expect(await late).toEqual(['gap', 3, 4]);
    await close();
    await own.stop();
  });

  it('shares one blocking connection among all readers of a process', async () => {
    const own = await startRedis();
    const { writer, reader, close } = await replicas(2, { url: own.url });
    const reads = Array.from({ length: 50 }, () => {
      const { signal } = new AbortController();
      return idsOf(reader.read('run', { after: 0, signal }));
    });
    writer.begin('run', { base: 0 });
    write(writer, 3);
    await writer.settled();
    const clients = (await own.command('INFO', 'clients')).match(/connected_clients:(\d+)/)?.[1];
    expect(Number(clients)).toBeLessThanOrEqual(2 * 3 + 1);
    writer.end('run');
    for (const seen of await Promise.all(reads)) expect(seen).toEqual([1, 2, 3]);
    await close();
    await own.stop();
  });

  it('knows the streams that readers follow and that it does not write itself', async () => {
    const { writer, reader, close } = await replicas(2);
    writer.begin('run', { base: 0 });
    const reads = [writer, reader, reader].map((log) => idsOf(log.read('run', { after: 0, signal: never })));
    await expect.poll(() => reader.followed).toEqual(['run']);
    expect(writer.followed).toEqual([]);
    writer.end('run');
    await Promise.all(reads);
    expect(reader.followed).toEqual([]);
    await close();
  });

  it('leaves nothing in Redis that does not expire', async () => {
    const { writer, redis, close } = await replicas(1);
    writer.begin('run', { base: 0 });
    write(writer, 2);
    writer.end('run');
    await writer.settled();
    const keys = await redis.commands.keys(`${redis.prefix}:*`);
    expect(keys.length).toBe(2);
    for (const key of keys) expect(await redis.commands.pttl(key)).toBeGreaterThan(0);
    await close();
  });
});
