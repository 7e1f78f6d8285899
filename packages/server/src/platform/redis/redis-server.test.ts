import { startRedis, testRedis } from '@switchyard/dev-env/redis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FreezableProxy } from '../../../testing/freezable-proxy.ts';
import { openTestRedis } from '../../../testing/redis-fixture.ts';
import type { RedisServer } from './redis-server.ts';

type Process = Awaited<ReturnType<typeof startRedis>>;

const { title, isSkipped } = testRedis('the Redis of a gateway');
/** Signs of life come often, so that a test sees a change soon. */
const lively = { beatMs: 50 };
const impatient = { ...lively, startMs: 300 };

describe.skipIf(isSkipped)(title, () => {
  let server: Process;
  let opened: RedisServer[];
  beforeEach(async () => {
    server = await startRedis();
    opened = [];
  });
  afterEach(async () => {
    for (const redis of opened) redis.close();
    await server.stop();
  });

  const usual = { database: 'db', secrets: () => ['s'] };

  async function open(url = server.url, prefix = 'test', cluster = usual, limits = lively) {
    const redis = await openTestRedis(url, prefix, { cluster, limits });
    opened.push(redis);
    return redis;
  }

  async function refusal(url = server.url, prefix = 'test', cluster = usual) {
    const error = await open(url, prefix, cluster, impatient).then(
      () => new Error('It was not refused.'),
      (reason: Error) => reason,
    );
    return error.message;
  }

  describe('refuses in one sentence, with the setting,', () => {
    it('an address where no server answers', async () => {
      expect(await refusal('redis://127.0.0.1:1')).toBe(
        'Redis at 127.0.0.1:1 cannot be reached (ECONNREFUSED); check bus.url, and that the server runs.',
      );
      expect(await refusal('/no/such/redis.sock')).toBe(
        'Redis at /no/such/redis.sock cannot be reached (ENOENT); check bus.url, and that the server runs.',
      );
    });

    it('a server that accepts connections and does not answer', async () => {
      server.freeze();
      expect(await refusal()).toMatch(/cannot be reached.*check bus\.url/);
      server.thaw();
    });

    it('a password that is wrong or missing, and does not show it', async () => {
      await server.command('CONFIG', 'SET', 'requirepass', 'right');
      const said = `Redis at ${server.url} refuses the user or the password; set them in bus.url.`;
      expect(await refusal()).toBe(said);
      expect(await refusal(`unix://:wrong@localhost${server.url}`)).toBe(said);
      await open(`unix://:right@localhost${server.url}`);
    });

    it('a replica, which takes no writes', async () => {
      await server.command('REPLICAOF', '127.0.0.1', '1');
      await server.command('CONFIG', 'SET', 'replica-serve-stale-data', 'yes');
      expect(await refusal()).toMatch(
        /is a replica and takes no writes; bus\.url must lead to the primary server\.$/,
      );
    });

    it('a server that is full', async () => {
      await server.command('CONFIG', 'SET', 'maxmemory', '1');
      expect(await refusal()).toMatch(/is full and takes no writes; raise its maxmemory\.$/);
    });

    it('a server that evicts what it holds', async () => {
      await server.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
      expect(await refusal()).toMatch(
        /\(maxmemory-policy allkeys-lru\); set its maxmemory-policy to noeviction\.$/,
      );
    });

    it('a prefix that a cluster on another database uses', async () => {
      await open();
      expect(await refusal(server.url, 'test', { database: 'other', secrets: () => ['s'] })).toMatch(
        /serves replicas of another database under the same prefix; set another bus\.prefix\.$/,
      );
      await open(server.url, 'other', { database: 'other', secrets: () => ['s'] });
    });

    it('a replica with another secret for sessions, and none that has rotated it as the others have', async () => {
      await open();
      await open(server.url, 'test', { database: 'db', secrets: () => ['new', 'new', 's'] });
      await open(server.url, 'test', { database: 'db', secrets: () => ['s', 's', 'new'] });
      expect(await refusal(server.url, 'test', { database: 'db', secrets: () => ['other'] })).toMatch(
        /with another auth\.jwt_secret; set the same auth\.jwt_secret for all of them\.$/,
      );
    });
  });

  describe('when it goes away', () => {
    it('fails commands instead of queueing them, and comes back by itself, emptied', async () => {
      const redis = await open();
      await redis.commands.set('key', 'value');
      await server.kill();
      await expect.poll(() => redis.fault).toMatch(/cannot be reached/);
      await expect(redis.commands.get('key')).rejects.toThrow();
      await server.restart();
      await expect.poll(() => redis.fault).toBeNull();
      expect(await redis.commands.get('key')).toBeNull();
      expect(await refusal(server.url, 'test', { database: 'other', secrets: () => ['s'] })).toMatch(
        /another database/,
      );
    });

    it('does not let a caller wait for a server that stands still', async () => {
      const redis = await open();
      server.freeze();
      await expect(redis.commands.get('key')).rejects.toThrow();
      await expect.poll(() => redis.fault).toMatch(/cannot be reached/);
      server.thaw();
      await expect.poll(() => redis.fault).toBeNull();
    });

    it('notices on every connection that the network has fallen silent, and connects again', async () => {
      const proxy = await FreezableProxy.start(server.url);
      const redis = await open(`redis://127.0.0.1:${proxy.port}`);
      const quiet = redis.connect('quiet');
      await redis.untilReady(quiet);
      const closed = new Promise<void>((resolve) => quiet.once('close', () => resolve()));
      proxy.freeze();
      await closed;
      expect(redis.fault).toMatch(/cannot be reached/);
      proxy.thaw();
      await expect.poll(() => quiet.status).toBe('ready');
      await expect.poll(() => redis.fault).toBeNull();
      redis.close();
      await proxy.close();
    });

    it('says what is wrong while the server is full or takes no writes', async () => {
      const redis = await open();
      await server.command('CONFIG', 'SET', 'maxmemory', '1');
      await expect.poll(() => redis.fault).toMatch(/is full/);
      await server.command('CONFIG', 'SET', 'maxmemory', '0');
      await expect.poll(() => redis.fault).toBeNull();
      await server.command('REPLICAOF', '127.0.0.1', '1');
      await expect.poll(() => redis.fault).toMatch(/is a replica/);
      await server.command('REPLICAOF', 'NO', 'ONE');
      await expect.poll(() => redis.fault).toBeNull();
    });
  });
});
