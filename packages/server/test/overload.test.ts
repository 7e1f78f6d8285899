import { createSecretKey, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { trustedProxies } from '../src/http/access/client-ip.ts';
import { CsrfTokens } from '../src/http/access/csrf.ts';
import { Guard } from '../src/http/access/guard.ts';
import type { Identity } from '../src/http/access/identity.ts';
import type { App } from '../src/http/app.ts';
import { AppError } from '../src/lib/app-error.ts';
import { type Deferred, newDeferred } from '../src/lib/async/deferred.ts';
import { fixedKeys } from '../src/platform/keys.ts';
import { startTestServer, type TestServer, testRoute, testSchema } from './support/test-server.ts';

const caller: Identity = {
  userId: '',
  email: 'ada@example.com',
  role: 'user',
  needsSetup: false,
  oauthProvider: null,
  via: 'bearer',
  credentialId: 'session-1',
  sessionVersion: 0,
  scopes: null,
  expiresAtMs: null,
};

let server: TestServer;
let url: string;

afterEach(() => server.close());

async function start(options: Parameters<typeof startTestServer>[0]): Promise<void> {
  server = await startTestServer(options);
  url = `http://127.0.0.1:${await server.listen()}`;
}

describe('more requests than may be open', () => {
  test('are told to come back, while probes are answered and open requests continue', async () => {
    const work = newDeferred();
    const arrivals: Deferred<void>[] = [newDeferred(), newDeferred()];
    const arrived = arrivals.map(({ promise }) => promise);
    const routes = (app: App): void => {
      const handler = async () => {
        arrivals.shift()?.resolve();
        await work.promise;
        return { done: true };
      };
      app.route({ ...testRoute, method: 'GET', url: '/api/work', schema: testSchema, handler });
    };
    await start({ routes: [routes], limits: { requestsInFlight: 2 } });
    const open = [fetch(`${url}/api/work`), fetch(`${url}/api/work`)];
    await Promise.all(arrived);
    const shed = await fetch(`${url}/api/work`);
    expect([shed.status, shed.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    work.resolve();
    for (const answer of await Promise.all(open)) expect(await answer.json()).toEqual({ done: true });
    expect((await fetch(`${url}/api/work`)).status).toBe(200);
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('switchyard_http_requests_shed_total 1');
  });
});

test('a user whom a public route recognises has a share as a user, and strangers at the same address have theirs', async () => {
  const work = newDeferred();
  const guard = new Guard({
    authenticator: {
      authenticate: async ({ token }) => {
        if (token !== 'ada') throw new AppError('token_invalid');
        return { ...caller, userId: token };
      },
    },
    csrf: new CsrfTokens(fixedKeys(createSecretKey(randomBytes(32)))),
    proxies: trustedProxies([]),
    allowedOrigins: [],
    isQuiet: () => false,
  });
  let begun = 0;
  const routes = (app: App): void => {
    const handler = async () => {
      begun += 1;
      await work.promise;
      return {};
    };
    const config = { access: 'public', recognises: true } as const;
    app.route({ method: 'GET', url: '/uploads/a', config, schema: testSchema, handler });
  };
  await start({
    routes: [routes],
    guard: (app) => guard.protect(app),
    limits: { strangerRequestsPerAddress: 2, openRequestsPerUser: 4 },
  });
  const ask = (token?: string) =>
    fetch(`${url}/uploads/a`, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
  const held = [ask('ada'), ask('ada'), ask('ada'), ask('ada'), ask(), ask('unknown')];
  await expect.poll(() => begun).toBe(6);
  const [user, stranger] = await Promise.all([ask('ada'), ask('unknown')]);
  expect([user?.status, stranger?.status]).toEqual([429, 429]);
  expect([await user?.text(), await stranger?.text()]).toEqual([
    expect.stringContaining('as a user may have'),
    expect.stringContaining('Your address has'),
  ]);
  work.resolve();
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual(Array(6).fill(200));
});

test('clients that never send what they have announced keep no one else out', async () => {
  const routes = (app: App): void => {
    const handler = () => ({});
    app.route({ ...testRoute, method: 'POST', url: '/api/slow', schema: testSchema, handler });
    app.route({ ...testRoute, method: 'GET', url: '/api/quick', schema: testSchema, handler });
  };
  await start({ routes: [routes], limits: { requestsInFlight: 2 } });
  const head =
    'POST /api/slow HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n';
  const slow = [0, 1, 2, 3].map(() => connect(Number(new URL(url).port), '127.0.0.1'));
  for (const socket of slow) socket.write(head);
  await expect.poll(() => server.tracker.inFlight).toBe(4);
  expect((await fetch(`${url}/api/quick`)).status).toBe(200);

  for (const socket of slow) socket.write('{}');
  const answers = await Promise.all(slow.map(async (socket) => String(await once(socket, 'data'))));
  expect(answers.map((answer) => answer.slice(0, 12))).toEqual(Array(4).fill('HTTP/1.1 200'));
  for (const socket of slow) socket.destroy();
  await server.tracker.whenIdle();
  expect((await fetch(`${url}/api/quick`)).status).toBe(200);
});

test('requests whose connection ends while their answers wait for each other keep no place', async () => {
  const routes = (app: App): void => {
    const handler = () => ({ text: 'x'.repeat(5_000_000) });
    app.route({ ...testRoute, method: 'GET', url: '/api/large', schema: testSchema, handler });
  };
  await start({ routes: [routes], limits: { requestsInFlight: 50 } });
  const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
  socket.write('GET /api/large HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(20));
  await expect.poll(() => server.tracker.inFlight).toBeGreaterThan(10);
  socket.destroy();
  await server.tracker.whenIdle();
  expect(server.tracker.inFlight).toBe(0);
});

describe('bodies that are arriving', () => {
  const slowRoute = (app: App): void => {
    const handler = () => ({});
    app.route({ ...testRoute, method: 'POST', url: '/api/slow', schema: testSchema, handler });
  };
  const head = 'POST /api/slow HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
  const post = (text: string) =>
    fetch(`${url}/api/slow`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text });
  const large = JSON.stringify('x'.repeat(99_998));

  /** Sends this much of a large body and no more. */
  function stall(sentBytes: number): Socket {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`${head}content-length: ${large.length}\r\n\r\n${large.slice(0, sentBytes)}`);
    return socket;
  }

  test('take the memory that they fill, whatever they announce', async () => {
    await start({ routes: [slowRoute], limits: { strangerBodyBytesPerAddress: 150_000 } });
    const slow = Array.from({ length: 20 }, () => stall(1));
    await expect.poll(() => server.tracker.inFlight).toBe(20);
    expect((await post(large)).status).toBe(200);
    for (const socket of slow) socket.destroy();
  });

  test('have a limit for each address, and small ones have none', async () => {
    await start({ routes: [slowRoute], limits: { strangerBodyBytesPerAddress: 150_000 } });
    const slow = [stall(90_000), stall(90_000)];
    await expect.poll(async () => (await post(large)).status).toBe(429);
    const refused = await post(large);
    expect([refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
      '5',
      { detail: expect.stringContaining('Send them one after the other') },
    ]);
    expect((await post(JSON.stringify('x'.repeat(16_000)))).status).toBe(200);
    for (const socket of slow) socket.destroy();
    await expect.poll(async () => (await post(large)).status).toBe(200);
    for (let time = 0; time < 5; time++) expect((await post(large)).status).toBe(200);
  });

  test('have a limit together', async () => {
    await start({ routes: [slowRoute], limits: { strangerBodyBytes: 150_000 } });
    const slow = [stall(90_000), stall(90_000)];
    await expect.poll(async () => (await post(large)).status).toBe(503);
    for (const socket of slow) socket.destroy();
    await expect.poll(async () => (await post(large)).status).toBe(200);
  });

  test('count the same when they arrive byte by byte', async () => {
    await start({ routes: [slowRoute], limits: { uncountedBodyBytes: 0, strangerBodyBytesPerAddress: 100 } });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`${head}transfer-encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(101)}`);
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 429 /);
    socket.destroy();
  });
});

test('a slow client has a time limit for everything that it sends', async () => {
  await start({});
  expect(server.app.server).toMatchObject({
    headersTimeout: 15_000,
    requestTimeout: 120_000,
    timeout: 120_000,
    keepAliveTimeout: 72_000,
    maxConnections: 10_000,
  });
});

test('open streams do not count as requests', async () => {
  const routes = (app: App): void => {
    const handler = (request: FastifyRequest) =>
      once(server.streams.open('events', request).signal, 'abort').then(() => ({}));
    app.route({ ...testRoute, method: 'GET', url: '/api/events', schema: testSchema, handler });
    app.route({ ...testRoute, method: 'GET', url: '/api/quick', schema: testSchema, handler: () => ({}) });
  };
  await start({ routes: [routes], limits: { requestsInFlight: 1 } });
  const leaving = new AbortController();
  const open = [0, 1, 2].map(() => fetch(`${url}/api/events`, { signal: leaving.signal }));
  await expect.poll(() => server.streams.count('events')).toBe(3);
  expect((await fetch(`${url}/api/quick`)).status).toBe(200);
  leaving.abort();
  await Promise.allSettled(open);
});

test('a time limit on the whole request that is shorter than the one on its head applies to both', async () => {
  await start({ limits: { requestTimeoutMs: 5_000 } });
  const { headersTimeout, requestTimeout } = server.app.server;
  expect([headersTimeout, requestTimeout]).toEqual([5_000, 5_000]);
});

describe('more streams than may be open', () => {
  test('are refused until a client disconnects', async () => {
    const opened = newDeferred();
    const ended = newDeferred();
    const routes = (app: App): void => {
      app.route({
        ...testRoute,
        method: 'GET',
        url: '/api/tasks',
        schema: testSchema,
        handler: async (request) => {
          const { signal } = server.streams.open('held_request', request);
          opened.resolve();
          await once(signal, 'abort');
          ended.resolve();
          return {};
        },
      });
    };
    await start({ routes: [routes], streamLimit: 1 });
    const leaving = new AbortController();
    const first = expect(fetch(`${url}/api/tasks`, { signal: leaving.signal })).rejects.toThrow();
    await opened.promise;
    expect(server.streams.count('held_request')).toBe(1);
    const refused = await fetch(`${url}/api/tasks`);
    expect([refused.status, await refused.json()]).toMatchObject([503, { error: 'overloaded' }]);
    leaving.abort();
    await Promise.all([first, ended.promise]);
    expect(server.streams.count()).toBe(0);
  });
});
