import { afterEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from './support/test-server.ts';

let server: TestServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function ask(url: string, options: Parameters<typeof startTestServer>[0] = {}) {
  server ??= await startTestServer(options);
  const answer = await server.inject(url);
  return { status: answer.statusCode, body: answer.json() };
}

const broken = { checkDatabase: () => Promise.reject(new Error('gone')) };

describe('/api/health', () => {
  test('is the contract’s envelope, for every caller', async () => {
    expect(await ask('/api/health')).toEqual({
      status: 200,
      body: {
        code: 200,
        data: {
          status: 'ok',
          cache: 'embedded',
          redis: 'embedded',
          database: 'connected',
          storage: 'ok',
          uptimeSeconds: expect.any(Number),
        },
      },
    });
  });

  test('is 503 with the same data when the database does not respond', async () => {
    const { status, body } = await ask('/api/health', broken);
    expect(status).toBe(503);
    expect(body).toMatchObject({
      code: 503,
      data: { status: 'degraded', cache: 'embedded', database: 'disconnected' },
    });
  });
});

describe('/readyz', () => {
  test('names its dependencies and how long each check took', async () => {
    expect(await ask('/readyz')).toEqual({
      status: 200,
      body: {
        ready: true,
        draining: false,
        dependencies: [
          { name: 'database', ok: true, latencyMs: expect.any(Number) },
          { name: 'storage', ok: true, latencyMs: expect.any(Number) },
        ],
      },
    });
  });

  test('is 503 when the database does not respond', async () => {
    const { status, body } = await ask('/readyz', broken);
    expect([status, body.ready, body.dependencies[0].ok]).toEqual([503, false, false]);
  });

  test('is 503 from the moment the shutdown begins', async () => {
    await ask('/readyz');
    server?.health.startDraining();
    expect(await ask('/readyz')).toMatchObject({ status: 503, body: { ready: false, draining: true } });
    expect((await ask('/healthz')).status).toBe(200);
  });

  test('checks the database and the disk once for probes that arrive together', async () => {
    const checks = { database: 0, storage: 0 };
    server = await startTestServer({
      checkDatabase: async () => {
        checks.database++;
      },
      lookAtStorage: async () => {
        checks.storage++;
        return 'ok';
      },
    });
    await Promise.all(Array.from({ length: 20 }, () => server?.inject('/readyz')));
    expect(checks).toEqual({ database: 1, storage: 1 });
  });
});

describe('a disk', () => {
  test('that is full makes the gateway unready and degraded, until there is space again', async () => {
    let [nowMs, isFull] = [1_000_000, true];
    await ask('/healthz', {
      clock: () => nowMs,
      lookAtStorage: () => (isFull ? Promise.reject(new Error('ENOSPC')) : Promise.resolve('ok')),
    });
    expect(await ask('/readyz')).toMatchObject({
      status: 503,
      body: { ready: false, draining: false, dependencies: [{ ok: true }, { name: 'storage', ok: false }] },
    });
    expect(await ask('/api/health')).toMatchObject({
      status: 200,
      body: { data: { status: 'degraded', database: 'connected', storage: 'full' } },
    });
    isFull = false;
    nowMs += 1_000;
    expect(await ask('/readyz')).toMatchObject({ status: 200, body: { ready: true } });
    expect(await ask('/api/health')).toMatchObject({ body: { data: { status: 'ok', storage: 'ok' } } });
  });

  test('that accepts no more uploads is reported as degraded, and the gateway stays ready', async () => {
    await ask('/healthz', { lookAtStorage: () => Promise.resolve('low') });
    expect((await ask('/readyz')).status).toBe(200);
    expect(await ask('/api/health')).toMatchObject({
      status: 200,
      body: { data: { status: 'degraded', storage: 'low' } },
    });
  });
});

test('/healthz depends on nothing but the process', async () => {
  expect(await ask('/healthz', broken)).toEqual({ status: 200, body: { status: 'ok' } });
});
