import { createServer, type Server } from 'node:http';
import type { AddressInfo, LookupFunction, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Deferred, newDeferred } from '../../../lib/async/deferred.ts';
import { systemTimer } from '../../../lib/async/timer.ts';
import { WorkerHttp } from './worker-http.ts';

let server: Server;
let arrived: string[];
/** Connections over which a request came, when the server closes each of them as a second one comes. */
let closing: Set<Socket> | undefined;
let http: WorkerHttp;
/** The name of the worker is looked up when a test says so. */
let found: Deferred<void>;

beforeEach(async () => {
  arrived = [];
  closing = undefined;
  found = newDeferred();
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      arrived.push(`${request.method} ${request.url} ${body}`);
      if (closing?.has(request.socket)) request.socket.destroy();
      else response.end('{}');
      closing?.add(request.socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const lookup: LookupFunction = (_name, _options, done) => {
    void found.promise.then(() => done(null, [{ address: '127.0.0.1', family: 4 }]));
  };
  const { port } = server.address() as AddressInfo;
  http = new WorkerHttp(
    { host: 'worker.test', port, basePath: '', tls: false, headers: {} },
    { timer: systemTimer, lookup },
  );
});
afterEach(async () => {
  http.close();
  await new Promise((resolve) => server.close(resolve));
});

describe('a call that may become unwanted', () => {
  const call = (maySend: () => boolean) =>
    http.call({
      method: 'POST',
      path: '/prompt',
      body: '{"a":1}',
      deadlineMs: 60_000,
      maxBytes: 100,
      maySend,
    });

  it('is not sent when that happens while its connection is made', async () => {
    let isWanted = true;
    const refused = expect(call(() => isWanted)).rejects.toMatchObject({
      workerCause: 'aborted',
      mayHaveArrived: false,
    });
    isWanted = false;
    found.resolve();
    await refused;
    expect(arrived).toEqual([]);
  });

  it('is asked about again on a connection that is open already', async () => {
    found.resolve();
    expect(await call(() => true)).toMatchObject({ status: 200 });
    await expect(call(() => false)).rejects.toMatchObject({ mayHaveArrived: false });
    expect(arrived).toEqual(['POST /prompt {"a":1}']);
  });
});

describe('a kept connection that the worker closes as a call comes', () => {
  const call = (method: 'GET' | 'POST') =>
    http.call({ method, path: '/prompt', deadlineMs: 60_000, maxBytes: 100 });
  beforeEach(() => {
    closing = new Set();
    found.resolve();
  });

  it('does not fail a question: it is asked again', async () => {
    for (let n = 0; n < 3; n += 1) expect(await call('GET')).toMatchObject({ status: 200 });
  });

  it('leaves open whether an order has arrived, and does not repeat it', async () => {
    await call('POST');
    await expect(call('POST')).rejects.toMatchObject({ workerCause: 'broken_off', mayHaveArrived: true });
    expect(arrived).toHaveLength(2);
  });

  it('is no concern of an order when it was kept for questions', async () => {
    await call('GET');
    expect(await call('POST')).toMatchObject({ status: 200 });
  });
});
