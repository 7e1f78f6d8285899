import { createServer, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Deferred, newDeferred } from '../../../lib/async/deferred.ts';
import { systemTimer } from '../../../lib/async/timer.ts';
import { WorkerHttp } from './worker-http.ts';

let server: Server;
let arrived: string[];
let http: WorkerHttp;
/** The name of the worker is looked up when a test says so. */
let found: Deferred<void>;

beforeEach(async () => {
  arrived = [];
  found = newDeferred();
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      arrived.push(`${request.method} ${request.url} ${body}`);
      response.end('{}');
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
