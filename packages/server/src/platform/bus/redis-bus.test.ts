import { type RedisProcess, startRedis, testRedis } from '@switchyard/dev-env/redis';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busConformance } from '../../../testing/bus-conformance.ts';
import { openTestRedis } from '../../../testing/redis-fixture.ts';
import { type BusEvent, busTopic } from './bus.ts';
import { RedisBus } from './redis-bus.ts';

const { title, isSkipped } = testRedis('the bus over Redis');

const fail = (_topic: string, error: unknown): never => {
  throw error;
};

const news = busTopic('news', Type.String());
const others = busTopic('other', Type.String());

describe.skipIf(isSkipped)(title, () => {
  let server: RedisProcess;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  async function twoEnds(url = server.url) {
    const ends = await Promise.all([openTestRedis(url), openTestRedis(url)]);
    const misfits: string[] = [];
    const onMisfit = (topic: string, error: unknown) => void misfits.push(`${topic}: ${error}`);
    const [here, there] = await Promise.all([
      RedisBus.open(ends[0], { onMisfit }),
      RedisBus.open(ends[1], { onMisfit }),
    ]);
    const close = async (): Promise<void> => {
      await Promise.all([here.close(), there.close()]);
      for (const end of ends) end.close();
    };
    return { here, there, ends, misfits, close };
  }

  busConformance('redis', twoEnds);

  const message = (text: string): BusEvent<string> => ({ type: 'message', message: text });

  describe('when Redis goes away', () => {
    it('tells each subscriber of a gap when it is back, and then goes on', async () => {
      const own = await startRedis();
      const { here, there, ends, close } = await twoEnds(own.url);
      const signal = new AbortController().signal;
      const events = (await there.subscribe(news, { signal }))[Symbol.asyncIterator]();
      await own.kill();
      await here.publish(news, 'lost');
      await own.restart();
      expect((await events.next()).value).toEqual({ type: 'gap' });
      await expect.poll(() => ends.every(({ commands }) => commands.status === 'ready')).toBe(true);
      await here.publish(news, 'again');
      let next = (await events.next()).value as BusEvent<string>;
      while (next.type === 'gap') next = (await events.next()).value as BusEvent<string>;
      expect(next).toEqual(message('again'));
      await close();
      await own.stop();
    });

    it('still delivers within the process, and accepts new subscribers', async () => {
      const own = await startRedis();
      const { here, close } = await twoEnds(own.url);
      const signal = new AbortController().signal;
      await own.kill();
      const events = (await here.subscribe(news, { signal }))[Symbol.asyncIterator]();
      await here.publish(news, 'near');
      expect((await events.next()).value).toEqual(message('near'));
      await own.restart();
      expect((await events.next()).value).toEqual({ type: 'gap' });
      await close();
      await own.stop();
    });

    it('does not wait for a server that stands still, and announces what it may have lost', async () => {
      const own = await startRedis();
      const { here, there, close } = await twoEnds(own.url);
      const signal = new AbortController().signal;
      const events = (await there.subscribe(news, { signal }))[Symbol.asyncIterator]();
      own.freeze();
      await here.publish(news, 'late');
      own.thaw();
      let event = (await events.next()).value as BusEvent<string>;
      if (event.type === 'message') {
        expect(event).toEqual(message('late'));
        event = (await events.next()).value as BusEvent<string>;
      }
      expect(event).toEqual({ type: 'gap' });
      await close();
      await own.stop();
    });
  });

  it('announces to the others what one process could not send', async () => {
    const own = await startRedis();
    const { here, there, close } = await twoEnds(own.url);
    const signal = new AbortController().signal;
    const events = (await there.subscribe(news, { signal }))[Symbol.asyncIterator]();
    const other = (await there.subscribe(others, { signal }))[Symbol.asyncIterator]();
    await own.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await here.publish(news, 'lost');
    expect((await events.next()).value).toEqual({ type: 'gap' });
    await here.publish(others, 'heard');
    expect((await other.next()).value).toEqual(message('heard'));
    await close();
    await own.stop();
  });

  it('announces what Redis refused once Redis takes it, on a connection that never broke', async () => {
    const own = await startRedis();
    const { here, there, close } = await twoEnds(own.url);
    const signal = new AbortController().signal;
    const events = (await there.subscribe(news, { signal }))[Symbol.asyncIterator]();
    await own.command('ACL', 'SETUSER', 'default', '-publish');
    await here.publish(news, 'refused');
    await own.command('ACL', 'SETUSER', 'default', '+publish');
    expect((await events.next()).value).toEqual({ type: 'gap' });
    await close();
    await own.stop();
  });

  it.each([
    ['no JSON', '{"half'],
    ['another shape', '{"id":1}'],
    ['nothing', ''],
  ])('gives a gap in place of a message that is %s, reports it, and goes on', async (_kind, text) => {
    const { here, there, ends, misfits, close } = await twoEnds();
    const signal = new AbortController().signal;
    const events = (await there.subscribe(news, { signal }))[Symbol.asyncIterator]();
    await server.command('PUBLISH', ends[0].channel('bus', 'news'), `stranger ${text}`);
    await here.publish(news, 'heard');
    expect((await events.next()).value).toEqual({ type: 'gap' });
    expect((await events.next()).value).toEqual(message('heard'));
    expect(misfits).toEqual([expect.stringContaining('news: ')]);
    await close();
  });

  it('keeps clusters with other prefixes apart', async () => {
    const [mine, foreign] = [await openTestRedis(server.url, 'one'), await openTestRedis(server.url, 'two')];
    const [here, there] = [
      await RedisBus.open(mine, { onMisfit: fail }),
      await RedisBus.open(foreign, { onMisfit: fail }),
    ];
    const events = (await there.subscribe(news, { signal: new AbortController().signal }))[
      Symbol.asyncIterator
    ]();
    await here.publish(news, 'mine');
    await there.publish(news, 'theirs');
    expect((await events.next()).value).toEqual(message('theirs'));
    await Promise.all([here.close(), there.close()]);
    mine.close();
    foreign.close();
  });
});
