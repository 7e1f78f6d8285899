import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import type { App } from '../src/http/app.ts';
import { Shutdown } from '../src/http/shell/shutdown.ts';
import { type Deferred, newDeferred } from '../src/lib/async/deferred.ts';
import { ManualTime } from '../testing/manual-time.ts';
import { startTestServer, type TestServer, testRoute, testSchema } from './support/test-server.ts';

const graceMs = 20_000;
let server: TestServer;
let url: string;
let time: ManualTime;
let shutdown: Shutdown;
let work: Deferred<void>;
let hasStarted: Deferred<void>;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

async function start({ hasReplicas = false } = {}): Promise<void> {
  work = newDeferred();
  hasStarted = newDeferred();
  time = new ManualTime();
  server = await startTestServer({ routes: [routes], hasReplicas });
  const { app, health, streams, tracker, logger } = server;
  shutdown = new Shutdown(app, { health, streams, tracker, graceMs, hasReplicas, timer: time.timer, logger });
  url = `http://127.0.0.1:${await server.listen()}`;
}

function routes(app: App): void {
  for (const method of ['GET', 'POST'] as const)
    app.route({
      ...testRoute,
      method,
      url: '/api/work',
      schema: testSchema,
      handler: async () => {
        hasStarted.resolve();
        await work.promise;
        return { done: true };
      },
    });
  app.route({
    ...testRoute,
    method: 'GET',
    url: '/api/events',
    schema: testSchema,
    handler: sendStream,
  });
  app.route({
    ...testRoute,
    method: 'POST',
    url: '/api/late-events',
    schema: testSchema,
    handler: async (request, reply) => {
      hasStarted.resolve();
      await work.promise;
      return sendStream(request, reply);
    },
  });
}

function sendStream(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const stream = server.streams.open('events', request);
  const source = Readable.from(untilTold(stream.signal));
  source.once('close', stream.close);
  return reply.type('text/event-stream').send(source);
}

/** A stream whose first event has come. */
async function openStream(): Promise<{ rest: () => Promise<string> }> {
  const { body } = await fetch(`${url}/api/events`);
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe('data: hello\n\n');
  const rest = async (): Promise<string> => {
    let text = '';
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value;
    return text;
  };
  return { rest };
}

async function* untilTold(signal: AbortSignal) {
  yield 'data: hello\n\n';
  if (!signal.aborted) await once(signal, 'abort');
  yield `event: goodbye\ndata: ${signal.reason.code}\n\n`;
}

/** Sends one request on a connection that stays open. */
async function openConnection(path: string): Promise<Socket> {
  const socket = connect((server.app.server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.setEncoding('utf8');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return socket;
}

/** Connects within one turn of the event loop, so that the server has accepted none of them. Returns their answers. */
async function connectAtOnce(count: number): Promise<() => Promise<string[]>> {
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection('/healthz')));
  const firstLine = (socket: Socket): Promise<string> =>
    new Promise((resolve) => {
      socket.once('data', (text) => resolve(String(text).split('\r\n')[0] ?? ''));
      socket.once('error', ({ message }) => resolve(message));
    });
  const lines = connections.map(firstLine);
  await new Promise<void>((resolve) => process.nextTick(resolve));
  return () => Promise.all(lines);
}

/** Lets a moment pass in which no connection arrives. */
function stopsListening(): boolean {
  time.advance(250);
  return !server.app.server.listening;
}

describe('shutdown', () => {
  test('lets a request finish, reports meanwhile that it is not ready, and closes', async () => {
    await start();
    const answer = fetch(`${url}/api/work`);
    await hasStarted.promise;
    const closed = shutdown.run();
    const probe = await fetch(`${url}/readyz`);
    expect(probe.status).toBe(503);
    expect(probe.headers.get('connection')).toBe('close');
    expect(await probe.json()).toMatchObject({ ready: false, draining: true });
    work.resolve();
    expect(await (await answer).json()).toEqual({ done: true });
    await closed;
    await expect(fetch(`${url}/readyz`)).rejects.toThrow();
  });

  test('soon accepts no new connection, and finishes the requests that it has', async () => {
    await start();
    const answer = fetch(`${url}/api/work`);
    await hasStarted.promise;
    const closed = shutdown.run();
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    time.advance(2_000);
    await expect.poll(() => server.app.server.listening).toBe(false);
    await expect(fetch(`${url}/readyz`)).rejects.toThrow();
    work.resolve();
    expect(await (await answer).json()).toEqual({ done: true });
    await closed;
    expect(server.logLines).not.toContainEqual(expect.objectContaining({ level: 'warn' }));
  });

  test('answers a request on a connection that was accepted just before', async () => {
    await start();
    const { port } = server.app.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    await once(server.app.server, 'connection');
    const closed = shutdown.run();
    await expect.poll(() => server.app.server.listening).toBe(false);
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
    await closed;
  });

  test('answers all who had connected when it stopped listening', async () => {
    await start();
    const answer = fetch(`${url}/api/work`);
    await hasStarted.promise;
    const closed = shutdown.run();
    const answers = await connectAtOnce(20);
    time.advance(2_000);
    expect(await answers()).toEqual(Array.from({ length: 20 }, () => 'HTTP/1.1 200 OK'));
    await expect.poll(() => server.app.server.listening).toBe(false);
    work.resolve();
    await answer;
    await closed;
  });

  test('answers all who had connected when it ended', async () => {
    await start();
    const answers = await connectAtOnce(20);
    const closed = shutdown.run();
    expect(await answers()).toEqual(Array.from({ length: 20 }, () => 'HTTP/1.1 200 OK'));
    await closed;
  });

  test('answers a request that began as the last one ended', async () => {
    await start();
    const answer = fetch(`${url}/api/work`);
    await hasStarted.promise;
    const closed = shutdown.run();
    hasStarted = newDeferred();
    const last = await openConnection('/api/work');
    const lastAnswer = once(last, 'data');
    lastAnswer.catch(() => undefined);
    work.resolve();
    work = newDeferred();
    await (await answer).json();
    await hasStarted.promise;
    await expect.poll(() => server.app.server.listening).toBe(false);
    await new Promise((resolve) => setImmediate(resolve));
    expect(last.closed).toBe(false);
    work.resolve();
    expect(String(await lastAnswer)).toMatch(/^HTTP\/1\.1 200 /);
    await closed;
  });

  test('waits only shortly for a connection that says nothing', async () => {
    await start();
    const { port } = server.app.server.address() as AddressInfo;
    sockets.push(connect(port, '127.0.0.1'));
    await once(server.app.server, 'connection');
    const closed = shutdown.run();
    await expect.poll(() => time.nextTimerMs).not.toBeNull();
    await expect.poll(() => server.app.server.listening).toBe(false);
    time.advance(2_000);
    await closed;
  });

  test('does not wait for idle connections', async () => {
    await start();
    const idle = await openConnection('/healthz');
    await once(idle, 'data');
    await shutdown.run();
    expect(server.app.server.listening).toBe(false);
    expect(server.logLines).not.toContainEqual(expect.objectContaining({ level: 'warn' }));
  });

  test('lets streams go on and begin until it stops listening, and tells them then', async () => {
    await start();
    const held = fetch(`${url}/api/work`);
    await hasStarted.promise;
    const before = await openStream();
    const closed = shutdown.run();
    const meanwhile = await openStream();
    let hasEnded = false;
    const rest = Promise.all([before.rest(), meanwhile.rest()]).finally(() => {
      hasEnded = true;
    });
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect(hasEnded).toBe(false);

    time.advance(2_000);
    const goodbye = 'event: goodbye\ndata: shutting_down\n\n';
    expect(await rest).toEqual([goodbye, goodbye]);
    expect(server.app.server.listening).toBe(false);
    work.resolve();
    await held;
    await closed;
  });

  test('answers a request that began before it stopped listening and opens its stream after that', async () => {
    await start();
    const late = fetch(`${url}/api/late-events`, { method: 'POST' });
    await hasStarted.promise;
    const closed = shutdown.run();
    time.advance(2_000);
    await expect.poll(() => server.app.server.listening).toBe(false);
    await new Promise((resolve) => setImmediate(resolve));
    work.resolve();
    const answer = await late;
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('data: hello\n\nevent: goodbye\ndata: shutting_down\n\n');
    await closed;
  });

  test('leaves to the other replicas what a proxy may ask them, and answers the rest itself', async () => {
    await start({ hasReplicas: true });
    const held = fetch(`${url}/api/work`);
    await hasStarted.promise;
    const closed = shutdown.run();
    const left = await fetch(`${url}/api/work`);
    expect([left.status, left.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const answer = fetch(`${url}/api/work`, { method: 'POST' });
    work.resolve();
    expect(await (await answer).json()).toEqual({ done: true });
    expect(await (await held).json()).toEqual({ done: true });
    await expect.poll(stopsListening).toBe(true);
    await closed;
  });

  test('beside other replicas stops listening when no connection has arrived for a moment', async () => {
    await start({ hasReplicas: true });
    const closed = shutdown.run();
    time.advance(200);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    time.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
    expect(server.app.server.listening).toBe(true);
    time.advance(250);
    await closed;
    expect(server.app.server.listening).toBe(false);
  });

  test('cuts requests that do not end within the grace period', async () => {
    await start();
    const answer = fetch(`${url}/api/work`);
    const failed = expect(answer).rejects.toThrow();
    await hasStarted.promise;
    const closed = shutdown.run();
    time.advance(graceMs);
    await closed;
    await failed;
    expect(server.logLines).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: 'Requests cut at shutdown', requests: 1 }),
    );
  });

  test('happens once, however often it is requested', async () => {
    await start();
    expect(shutdown.run()).toBe(shutdown.run());
    await shutdown.run();
  });
});
