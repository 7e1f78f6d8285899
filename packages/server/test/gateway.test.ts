import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, describe, expect, test, vi } from 'vitest';

let gateway: DevGateway | undefined;

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

describe('a gateway', () => {
  test('serves, and writes its address to a file that only its owner can read', async () => {
    gateway = await startGateway();
    const health = await (await gateway.fetch('/api/health')).json();
    expect(health).toMatchObject({ code: 200, data: { status: 'ok', storage: 'ok' } });
    const file = join(gateway.home, 'gateway.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ url: gateway.url, pid: process.pid });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await gateway.stop();
    expect(existsSync(file)).toBe(false);
  });

  test('names its version only to callers who are signed in', async () => {
    const started = await startGateway();
    gateway = started;
    const { cookieHeader: cookie } = await started.register('ada@example.com');
    const ask = async (path: string, headers: Record<string, string>) => {
      const answer = await started.fetch(path, { headers });
      const body = (await answer.json()) as { data?: { version?: string } };
      return [body.data?.version, answer.headers.get('x-switchyard-version')];
    };
    expect(await ask('/api/health', { cookie })).toEqual(['0.0.0-dev', null]);
    expect(await ask('/api/v1/auth/me', { cookie })).toEqual([undefined, '0.0.0-dev']);
    expect(await ask('/api/health', {})).toEqual([undefined, null]);
    expect(await ask('/api/health', { authorization: 'Bearer sy_pat_wrong' })).toEqual([undefined, null]);
    expect(await ask('/api/v1/auth/me', {})).toEqual([undefined, null]);
  });

  test('answers 503 when its database is gone, and stays alive', async () => {
    gateway = await startGateway();
    await gateway.context.database.close();
    const health = await gateway.fetch('/api/health');
    expect(health.status).toBe(503);
    expect(await health.json()).toMatchObject({
      code: 503,
      data: { status: 'degraded', database: 'disconnected' },
    });
    expect((await gateway.fetch('/readyz')).status).toBe(503);
    expect((await gateway.fetch('/healthz')).status).toBe(200);
  });

  test('guards every path of the API, known or not', async () => {
    gateway = await startGateway();
    for (const path of ['/api/v1/auth/me', '/api/v1/users', '/api/unknown', '/api']) {
      expect((await gateway.fetch(path)).status, path).toBe(401);
    }
    const session = await gateway.register('ada@example.com');
    await expect(session.get('/api/unknown')).rejects.toThrow('404');
  });

  test('declares for each of its routes who may call', async () => {
    gateway = await startGateway();
    const document = (await (await gateway.fetch('/openapi.json')).json()) as {
      paths: Record<string, Record<string, { 'x-access'?: string; security: unknown[] }>>;
    };
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(operations.length).toBeGreaterThan(15);
    for (const operation of operations) {
      expect(operation['x-access']).toBeTruthy();
      expect(operation.security.length === 0).toBe(operation['x-access'] === 'public');
    }
  });

  test('keeps accounts in its data home over a restart', async () => {
    const folder = temporaryFolder();
    const options = { home: folder.path, config: { database: { backend: 'sqlite' } } } as const;
    gateway = await startGateway(options);
    const session = await gateway.register('ada@example.com');
    await gateway.stop();
    gateway = await startGateway(options);
    expect(await session.at(gateway.url).get('/api/v1/auth/me')).toMatchObject({ email: 'ada@example.com' });
    await gateway.stop();
    folder.remove();
  });

  test('logs a rejection that was not awaited, and continues to serve', async () => {
    const known = process.listeners('unhandledRejection');
    gateway = await startGateway();
    const [listener, ...others] = process
      .listeners('unhandledRejection')
      .filter((one) => !known.includes(one));
    expect(others).toEqual([]);
    const error = vi.spyOn(gateway.context.logger, 'error');
    const err = new Error('stray');
    listener?.(err, Promise.resolve());
    expect(error).toHaveBeenCalledWith({ err }, 'A rejection was not handled');
    expect((await gateway.fetch('/healthz')).status).toBe(200);
  });

  test('that cannot listen closes everything that it had opened', async () => {
    gateway = await startGateway();
    const port = Number(new URL(gateway.url).port);
    const before = process.listenerCount('unhandledRejection');
    const folder = temporaryFolder();
    await expect(startGateway({ home: folder.path, config: { server: { port } } })).rejects.toThrow(/port/i);
    expect(existsSync(join(folder.path, 'gateway.json'))).toBe(false);
    expect(process.listenerCount('unhandledRejection')).toBe(before);
    folder.remove();
  });
});
