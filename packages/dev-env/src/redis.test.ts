import { expect, it } from 'vitest';
import { startRedis, testRedis } from './redis.ts';

const { title, isSkipped } = testRedis('a Redis server for tests');

it.skipIf(isSkipped)(`${title} is one for each caller, on no port`, async () => {
  const [one, other] = await Promise.all([startRedis(), startRedis()]);
  await one.command('SET', 'a key', 'its value');
  expect(await one.command('GET', 'a key')).toBe('$9\r\nits value');
  expect(await other.command('GET', 'a key')).toBe('$-1');
  expect(await one.command('CONFIG', 'GET', 'port')).toContain('$1\r\n0');
  await Promise.all([one.stop(), other.stop()]);
});

it.skipIf(isSkipped)(`${title} can be emptied, killed and started again, and stand still`, async () => {
  const server = await startRedis();
  await server.command('SET', 'key', 'value');
  await server.flush();
  expect(await server.command('GET', 'key')).toBe('$-1');
  await server.kill();
  await expect(server.command('PING')).rejects.toThrow(/ENOENT|ECONNREFUSED/);
  await server.restart();
  server.freeze();
  const late = server.command('PING');
  server.thaw();
  expect(await late).toBe('+PONG');
  await server.stop();
});
