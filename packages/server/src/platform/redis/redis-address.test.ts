import { expect, it } from 'vitest';
import { redisAddress } from './redis-address.ts';

it('reads host, port, account and database', () => {
  expect(redisAddress('redis://ada:p%40ss@cache.example.com:6380/3')).toEqual({
    target: { host: 'cache.example.com', port: 6380, username: 'ada', password: 'p@ss', db: 3 },
    shown: 'cache.example.com:6380',
  });
});

it('uses the usual port and the first database where the address names none', () => {
  expect(redisAddress('redis://[::1]')).toEqual({
    target: { host: '::1', port: 6379, db: 0 },
    shown: '[::1]:6379',
  });
});

it('asks for the certificate of the host with rediss', () => {
  expect(redisAddress('rediss://:secret@cache.example.com')).toMatchObject({
    target: { password: 'secret', tls: { servername: 'cache.example.com' } },
  });
});

it('takes the path of a unix socket, with and without a password', () => {
  expect(redisAddress('/run/redis/redis.sock')).toEqual({
    target: { path: '/run/redis/redis.sock', db: 0 },
    shown: '/run/redis/redis.sock',
  });
  expect(redisAddress('unix://:secret@localhost/run/redis.sock')).toEqual({
    target: { path: '/run/redis.sock', password: 'secret', db: 0 },
    shown: '/run/redis.sock',
  });
});

it('shows no user and no password', () => {
  for (const url of ['redis://ada:secret@h:1', 'unix://ada:secret@localhost/run/r.sock'])
    expect(redisAddress(url).shown).not.toMatch(/ada|secret/);
});
