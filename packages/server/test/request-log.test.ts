import { Readable } from 'node:stream';
import websocket from '@fastify/websocket';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { App } from '../src/http/app.ts';
import { AppError } from '../src/lib/app-error.ts';
import { startTestServer, type TestServer, testRoute, testSchema } from './support/test-server.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startTestServer({ routes: [routes, socketRoute], logLevel: 'debug' });
});
afterEach(() => server.close());

function routes(app: App): void {
  const add = (url: string, handler: () => unknown): void => {
    app.route({ ...testRoute, method: 'GET', url, schema: testSchema, handler });
  };
  add('/api/fine', () => ({}));
  add('/api/denied', () => {
    throw new AppError('token_expired');
  });
  add('/api/torn', () => Readable.from(breaking()));
  add('/api/broken', () => {
    throw new Error('bearer abcdefgh12345 and {"password":"hunter2"}', { cause: new Error('deeper') });
  });
}

function socketRoute(app: App): void {
  app.register(websocket);
  app.after(() => {
    app.route({
      ...testRoute,
      method: 'GET',
      url: '/socket',
      schema: testSchema,
      handler: () => ({}),
      wsHandler: () => undefined,
    });
  });
}

async function* breaking() {
  yield 'first';
  throw new Error('the disk is gone');
}

describe('the line of a request', () => {
  test.each([
    ['/api/fine', 'debug', 200],
    ['/api/denied', 'info', 401],
    ['/api/broken', 'error', 500],
    ['/api/none', 'debug', 404],
  ])('of %s is written once, at level %s', async (url, level, status) => {
    const answer = await server.inject(`${url}?token=secret`);
    const lines = server.logLines.filter(({ msg }) => msg === 'request');
    expect(lines).toEqual([
      expect.objectContaining({
        level,
        status,
        method: 'GET',
        requestId: answer.headers['x-request-id'],
        tookMs: expect.any(Number),
      }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  test('is followed by another line when a response breaks off after its head was sent', async () => {
    await expect(server.inject('/api/torn')).rejects.toThrow();
    expect(server.logLines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        err: expect.objectContaining({ message: 'the disk is gone' }),
      }),
    );
  });

  test('of a probe that finds the gateway not ready is not an error', async () => {
    server.health.startDraining();
    expect((await server.inject('/readyz')).statusCode).toBe(503);
    const lines = server.logLines.filter(({ msg }) => msg === 'request');
    expect(lines).toEqual([expect.objectContaining({ route: '/readyz', status: 503, level: 'info' })]);
  });

  test('of a WebSocket says that it was opened, however it ended', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${await server.listen()}/socket`);
    await new Promise((resolve) => socket.once('open', resolve));
    socket.terminate();
    await expect
      .poll(() => server.logLines.filter(({ msg }) => msg === 'request'))
      .toEqual([expect.objectContaining({ route: '/socket', status: 101, level: 'debug' })]);
    const { body } = await server.inject('/metrics');
    expect(body).not.toMatch(/http_request_duration_seconds_count\{route="\/socket"/);
  });

  test('of an error contains its cause and no credential', async () => {
    await server.inject('/api/broken');
    const [line] = server.logLines;
    expect(line?.err).toMatchObject({
      message: 'bearer *** and {"password":"***"}',
      cause: { message: 'deeper' },
    });
  });
});
