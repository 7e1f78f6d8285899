import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { FakeWorker, type FakeWorkerOptions } from '@switchyard/dev-env/fake-worker';
import { answerJson, type ScriptedServer, startScriptedServer } from '@switchyard/dev-env/scripted-server';
import { selfSigned } from '@switchyard/dev-env/self-signed';
import { type ConnectedClient, connectClient, newClient } from '@switchyard/dev-env/worker-client-fixture';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { ManualTime } from '../../../../testing/manual-time.ts';

const graph = { '1': { class_type: 'SaveImage', inputs: {} } };
const output = { nodeId: '1', filename: 'a.png', subfolder: '', folder: 'output' } as const;

const open: { close: () => Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

function closing<Thing extends { close: () => Promise<unknown> }>(thing: Thing): Thing {
  open.push(thing);
  return thing;
}

async function script(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  options?: { tls?: boolean },
): Promise<ScriptedServer> {
  return closing(await startScriptedServer(answer, options));
}

async function fake(options: FakeWorkerOptions = {}): Promise<FakeWorker> {
  return closing(await FakeWorker.start(options));
}

function clientOf(port: number, options: Parameters<typeof newClient>[1] = {}): ConnectedClient {
  const connected = newClient(port, options);
  closing(connected.client);
  return connected;
}

async function connectTo(
  port: number,
  options: Parameters<typeof newClient>[1] = {},
): Promise<ConnectedClient> {
  const connected = await connectClient(port, options);
  closing(connected.client);
  return connected;
}

describe('something else behind the address', () => {
  test('a redirect is an answer and is not followed', async () => {
    const elsewhere = await script((_, response) => answerJson(response, {}));
    const server = await script((_, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${elsewhere.port}/prompt` }).end();
    });
    const { client, submit } = clientOf(server.port);
    expect(await client.probe()).toMatchObject({ ok: false, cause: 'not_comfyui' });
    expect((await submit(graph)).outcome).toMatchObject({ outcome: 'not_taken', cause: 'not_comfyui' });
    expect(elsewhere.requests).toEqual([]);
  });

  test('another web server is not ComfyUI', async () => {
    for (const body of ['<html>hello</html>', '{"hello":1}', '[]', '']) {
      const server = await script((_, response) => response.end(body));
      expect(await clientOf(server.port).client.probe()).toMatchObject({ ok: false, cause: 'not_comfyui' });
    }
  });

  test('a version is reported without control characters', async () => {
    const server = await script(({ url }, response) =>
      answerJson(
        response,
        url === '/system_stats'
          ? {
              system: { comfyui_version: '1.2\u0000\u001b[31m.3', pytorch_version: '2\u0000.8' },
              devices: [],
            }
          : { exec_info: { queue_remaining: 0 } },
      ),
    );
    expect(await clientOf(server.port).client.probe()).toMatchObject({
      ok: true,
      version: '1.2[31m.3',
      system: { pytorchVersion: '2.8' },
    });
  });

  test.each([{}, { pytorch_version: null }, { pytorch_version: '', ram_free: null }])(
    'what a worker does not tell about its machine is left out: %o',
    async (system) => {
      const server = await script(({ url }, response) =>
        answerJson(
          response,
          url === '/prompt' ? { exec_info: { queue_remaining: 0 } } : { system, devices: [] },
        ),
      );
      expect(await clientOf(server.port).client.probe()).toMatchObject({ ok: true, version: null });
      expect(await clientOf(server.port).client.probe()).toHaveProperty('system', {});
    },
  );

  test('a server that does not speak HTTP is not ComfyUI', async () => {
    const server: Server = createServer((socket) =>
      socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9\r\n')).on('error', () => undefined),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const { client } = clientOf(port);
    expect(await client.probe()).toMatchObject({ ok: false, cause: 'not_comfyui' });
    await new Promise((resolve) => server.close(resolve));
  });

  test('a password is asked for, and is sent once it is configured', async () => {
    const seen: IncomingMessage['headers'][] = [];
    const server = await script((request, response) => {
      seen.push(request.headers);
      if (request.headers.authorization !== 'Bearer right') response.writeHead(401).end();
      else if (request.url === '/prompt') answerJson(response, { exec_info: { queue_remaining: 0 } });
      else answerJson(response, { system: {}, devices: [] });
    });
    expect(await clientOf(server.port).client.probe()).toMatchObject({ ok: false, cause: 'wants_password' });
    const headers = { Authorization: 'Bearer right', Host: 'evil', 'Content-Length': '5' };
    const address = { host: '127.0.0.1', port: server.port, basePath: '', tls: false as const, headers };
    expect(await clientOf(server.port, { address }).client.probe()).toMatchObject({ ok: true });
    expect(seen.at(-1)).toEqual({
      authorization: 'Bearer right',
      host: `127.0.0.1:${server.port}`,
      connection: 'keep-alive',
    });
  });
});

describe('answers without end', () => {
  test('a body over the limit is cut off', async () => {
    let isCut = false;
    const server = await script((_, response) => {
      response.on('close', () => {
        isCut = true;
      });
      response.writeHead(200);
      Readable.from(endless()).pipe(response);
    });
    expect(await clientOf(server.port).client.probe()).toMatchObject({ ok: false, cause: 'not_comfyui' });
    await expect.poll(() => isCut).toBe(true);
  });

  test.each(['hang', 'trickle'] as const)(
    'a worker that does %s is given up at the deadline',
    async (trouble) => {
      const worker = await fake({ trouble });
      const time = new ManualTime();
      const { client } = clientOf(worker.port, { timer: time.timer, now: time.now });
      const probe = client.probe();
      await expect.poll(() => time.nextTimerMs).not.toBeNull();
      time.advance(2_000);
      expect(await probe).toMatchObject({ ok: false, cause: 'timed_out', latencyMs: 2_000 });
    },
  );

  test('a submission without an answer may have arrived', async () => {
    const server = await script(() => undefined);
    const time = new ManualTime();
    const { submit } = clientOf(server.port, { timer: time.timer });
    const arrived = server.next();
    const submission = submit(graph);
    await arrived;
    time.advance(15_000);
    expect((await submission).outcome).toMatchObject({ outcome: 'unknown', cause: 'timed_out' });
  });

  test('an answer that breaks off in the middle is no answer', async () => {
    const server = await script((_, response) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('{"prompt_id":');
      setImmediate(() => response.destroy());
    });
    expect((await clientOf(server.port).submit(graph)).outcome).toMatchObject({
      outcome: 'unknown',
      cause: 'broken_off',
    });
  });
});

describe('TLS', () => {
  const at = (port: number, tls: { verify: boolean; ca: string | null }) => ({
    address: { host: '127.0.0.1', port, basePath: '', tls, headers: {} },
  });

  test('an untrusted certificate is refused before anything is sent', async () => {
    const server = await script((_, response) => response.end(), { tls: true });
    const { submit } = clientOf(server.port, at(server.port, { verify: true, ca: null }));
    expect((await submit(graph)).outcome).toMatchObject({ outcome: 'not_taken', cause: 'tls_failed' });
    expect(server.requests).toEqual([]);
  });

  test('a certificate is accepted when it is given as trusted, or when the check is switched off', async () => {
    const server = await script(
      (request, response) => {
        answerJson(
          response,
          request.url === '/prompt' ? { exec_info: { queue_remaining: 0 } } : { system: {}, devices: [] },
        );
      },
      { tls: true },
    );
    for (const tls of [
      { verify: true, ca: selfSigned.cert },
      { verify: false, ca: null },
    ]) {
      expect(await clientOf(server.port, at(server.port, tls)).client.probe()).toMatchObject({ ok: true });
    }
  });

  test('the event socket uses the same settings', async () => {
    const server = await script((_, response) => response.end(), { tls: true });
    const sockets = new WebSocketServer({ server: server.server });
    const { client } = await connectTo(server.port, at(server.port, { verify: true, ca: selfSigned.cert }));
    expect(client.isConnected).toBe(true);
    const distrustful = clientOf(server.port, at(server.port, { verify: true, ca: null }));
    await distrustful.client.reopen();
    expect(distrustful.client.isConnected).toBe(false);
    sockets.close();
  });

  test('a server without TLS is reported as such', async () => {
    const server = await script((_, response) => response.end());
    const { client } = clientOf(server.port, at(server.port, { verify: false, ca: null }));
    expect(await client.probe()).toMatchObject({ ok: false, cause: 'tls_failed' });
  });
});

describe('outputs', () => {
  test('an output that grows over the limit fails while it is read, an announced one at once', async () => {
    const server = await script((request, response) => {
      if (request.url?.includes('announced')) response.setHeader('content-length', 5_000_000);
      response.writeHead(200);
      Readable.from(endless()).pipe(response);
    });
    const { client } = clientOf(server.port);
    const pulled = await client.pullOutput(output, { maxBytes: 1_000_000 });
    await expect(buffer(pulled?.body ?? Readable.from([]))).rejects.toMatchObject({
      workerCause: 'too_large',
    });
    const announced = { ...output, filename: 'announced.png' };
    await expect(client.pullOutput(announced, { maxBytes: 1_000_000 })).rejects.toMatchObject({
      workerCause: 'too_large',
    });
  });

  test('an output that breaks off or falls silent fails', async () => {
    const server = await script((request, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('partly');
      if (request.url?.includes('cut')) setImmediate(() => response.destroy());
    });
    const time = new ManualTime();
    const { client } = clientOf(server.port, { timer: time.timer });
    const cut = await client.pullOutput({ ...output, filename: 'cut.png' }, { maxBytes: 1_000 });
    await expect(buffer(cut?.body ?? Readable.from([]))).rejects.toMatchObject({ workerCause: 'broken_off' });
    const silent = await client.pullOutput(output, { maxBytes: 1_000 });
    const reading = buffer(silent?.body ?? Readable.from([]));
    const failed = expect(reading).rejects.toMatchObject({ workerCause: 'timed_out' });
    time.advance(30_000);
    await failed;
  });

  test('reading stops when the caller gives up', async () => {
    const server = await script((_, response) => {
      response.writeHead(200);
      Readable.from(endless()).pipe(response);
    });
    const { client } = clientOf(server.port);
    const controller = new AbortController();
    const pulled = await client.pullOutput(output, { maxBytes: 1e12, signal: controller.signal });
    const reading = expect(buffer(pulled?.body ?? Readable.from([]))).rejects.toMatchObject({
      workerCause: 'aborted',
    });
    controller.abort();
    await reading;
  });

  test.each([
    ['gives up', 'aborted'],
    ['lets it wait for too long', 'timed_out'],
  ])('an output that is not read yet ends with its error when the caller %s', async (what, cause) => {
    const server = await script((_, response) => response.writeHead(200).write('partly'));
    const time = new ManualTime();
    const { client } = clientOf(server.port, { timer: time.timer });
    const controller = new AbortController();
    const pulled = await client.pullOutput(output, { maxBytes: 1_000, signal: controller.signal });
    if (!pulled) throw new Error('There is an output.');
    const closed = new Promise((resolve) => pulled.body.once('close', resolve));
    if (what === 'gives up') controller.abort();
    else time.advance(30_000);
    await closed;
    await expect(buffer(pulled.body)).rejects.toMatchObject({ workerCause: cause });
  });

  test('the connection is used again after a whole output, and names travel as they are', async () => {
    const urls: (string | undefined)[] = [];
    const sockets = new Set<unknown>();
    const server = await script((request, response) => {
      urls.push(request.url);
      sockets.add(request.socket);
      response.end('bytes');
    });
    const { client } = clientOf(server.port);
    for (const filename of ['a&b=c?.png', 'größe %2e.png']) {
      const pulled = await client.pullOutput({ ...output, filename }, { maxBytes: 100 });
      expect(await text(pulled?.body ?? Readable.from([]))).toBe('bytes');
    }
    expect(urls.map((url) => new URL(url ?? '', 'http://x').searchParams.get('filename'))).toEqual([
      'a&b=c?.png',
      'größe %2e.png',
    ]);
    expect(sockets.size).toBe(1);
  });
});

describe('inputs', () => {
  const file = (content: string, sizeBytes = content.length) => ({
    sha256: 'c'.repeat(64),
    extension: 'png',
    sizeBytes,
    open: () => Readable.from([Buffer.from(content)]),
  });

  /** A server that names no limit for uploads. */
  const uploads = (answer: Parameters<typeof script>[0]) =>
    script((request, response) => {
      if (request.url === '/features') response.writeHead(404).end();
      else answer(request, response);
    });

  test('go in one part with its name, folder and the order to overwrite', async () => {
    let body = '';
    const server = await uploads((request, response) => {
      request.on('data', (chunk) => {
        body += String(chunk);
      });
      request.on('end', () =>
        answerJson(response, { name: `${'c'.repeat(64)}.png`, subfolder: 'gw', type: 'input' }),
      );
    });
    await clientOf(server.port).client.pushFile(file('picture'));
    for (const part of [
      'name="overwrite"\r\n\r\ntrue',
      'name="subfolder"\r\n\r\ngw',
      'name="type"\r\n\r\ninput',
      '\r\n\r\npicture\r\n--',
    ]) {
      expect(body).toContain(part);
    }
  });

  test('a worker that stores under another name did not do what was asked', async () => {
    const server = await uploads((request, response) => {
      request.resume();
      request.on('end', () => answerJson(response, { name: 'a (1).png', subfolder: 'gw', type: 'input' }));
    });
    await expect(clientOf(server.port).client.pushFile(file('x'))).rejects.toMatchObject({
      workerCause: 'bad_answer',
    });
  });

  test('a worker that takes a file and never ends its answer is given up', async () => {
    const server = await uploads((request, response) => {
      request.resume();
      request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).write('{'));
    });
    const time = new ManualTime();
    const pushing = clientOf(server.port, { timer: time.timer }).client.pushFile(file('picture'));
    const refused = expect(pushing).rejects.toMatchObject({ workerCause: 'timed_out' });
    let isOver = false;
    void refused.then(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      time.advance(20_000);
    }
    await refused;
  });

  test('a worker that takes no file of this size says so', async () => {
    const server = await uploads((_, response) => response.writeHead(413).end('too large'));
    const { client } = clientOf(server.port);
    for (const content of ['x', 'xy']) {
      await expect(client.pushFile(file(content))).rejects.toMatchObject({
        workerCause: 'refused_size',
        message: `127.0.0.1:${server.port} takes no request of 0.00 MB.`,
      });
    }
    expect(server.requests.filter((request) => request === 'POST /upload/image')).toHaveLength(1);
  });

  test('a file that is not as long as recorded is never sent as if it were', async () => {
    let isComplete = false;
    const server = await uploads((request) => {
      request.on('error', () => undefined);
      request.resume().on('end', () => {
        isComplete = true;
      });
    });
    const { client } = clientOf(server.port);
    await expect(client.pushFile(file('short', 100))).rejects.toThrow('another size than recorded');
    await expect(client.pushFile(file('much too long', 4))).rejects.toThrow('another size than recorded');
    expect(isComplete).toBe(false);
  });
});

describe('older and newer servers', () => {
  test('a prompt is withdrawn from a server that chooses its own ids', async () => {
    const answers: Record<string, unknown> = {
      'POST /prompt': { prompt_id: 'own', number: 0 },
      'POST /queue': {},
      'GET /queue': { queue_running: [], queue_pending: [] },
      'GET /history/own': {},
    };
    const server = await script(({ method, url }, response) => {
      const answer = answers[`${method} ${url}`];
      answerJson(response, answer ?? {}, answer ? 200 : 404);
    });
    expect((await clientOf(server.port).submit(graph)).outcome).toMatchObject({
      outcome: 'not_taken',
      cause: 'too_old',
    });
    expect(server.requests).toContain('POST /queue');
  });

  test("a server that would stop any client's prompt is never told to stop", async () => {
    const server = await script(runningOn('0.3.40'));
    const { client } = clientOf(server.port);
    expect(await client.cancel('mine')).toEqual({ outcome: 'cannot_stop' });
    expect(server.requests).not.toContain('POST /interrupt');
  });

  test.each(['0.3.57', '0.4.0', 'v1.2.3', 'reference-1', null])(
    'a server of version %s is asked to stop one prompt',
    async (version) => {
      const server = await script(runningOn(version));
      expect(await clientOf(server.port).client.cancel('mine')).toEqual({ outcome: 'stopping' });
      expect(server.requests).toContain('POST /interrupt');
    },
  );

  test('a server that cancels jobs by itself is asked to do so', async () => {
    const server = await script((request, response) => {
      if (request.url === '/api/jobs/mine/cancel') answerJson(response, { cancelled: true });
      else runningOn('0.9.0')(request, response);
    });
    const { client } = clientOf(server.port);
    expect(await client.cancel('mine')).toEqual({ outcome: 'stopping' });
    expect(server.requests).toEqual(['POST /api/jobs/mine/cancel', 'GET /queue']);
  });

  function runningOn(version: string | null) {
    return (request: IncomingMessage, response: ServerResponse): void => {
      if (request.url === '/queue' && request.method === 'GET') {
        answerJson(response, { queue_running: [[1, 'mine', {}, {}, []]], queue_pending: [] });
      } else if (request.url === '/system_stats')
        answerJson(response, { system: { comfyui_version: version }, devices: [] });
      else if (request.url === '/prompt') answerJson(response, { exec_info: { queue_remaining: 1 } });
      else response.writeHead(request.url?.startsWith('/api') ? 404 : 200).end();
    };
  }
});

describe('fake workers', () => {
  test('a prompt completes with its output', async () => {
    const worker = await fake({ outputBytes: 20_000 });
    const { client, heard, submit } = await connectTo(worker.port);
    const { promptId } = await submit(graph);
    await heard.next('run_settled', promptId);
    const [file] = (await client.result(promptId))?.files ?? [];
    if (!file) throw new Error('no output');
    const pulled = await client.pullOutput(file, { maxBytes: 20_000 });
    expect(await buffer(pulled?.body ?? Readable.from([]))).toHaveLength(20_000);
    expect(worker.stats).toMatchObject({ accepted: 1, finished: 1, duplicateIds: 0, maxHeld: 1 });
  });

  test('a zombie takes a prompt, which stays running without any sign of life', async () => {
    const worker = await fake({ trouble: 'zombie' });
    const { client, heard, submit } = await connectTo(worker.port);
    const { promptId, outcome } = await submit(graph);
    expect(outcome.outcome).toBe('accepted');
    expect(await client.locate(promptId)).toEqual({ state: 'running' });
    expect(heard.of(promptId)).toEqual([]);
    expect(await client.probe()).toMatchObject({ ok: true, queueRemaining: 1 });
    expect(await client.cancel(promptId)).toEqual({ outcome: 'stopping' });
  });

  test('a deaf socket is open and silent while the prompt completes', async () => {
    const worker = await fake({ trouble: 'deaf' });
    const { client, heard, submit } = await connectTo(worker.port);
    const { promptId } = await submit(graph);
    expect(await client.result(promptId)).toMatchObject({ end: 'succeeded' });
    expect([client.isConnected, heard.of(promptId)]).toEqual([true, []]);
  });

  test('a restarted process is noticed because it counts from the start again', async () => {
    const worker = await fake();
    const { heard, submit } = clientOf(worker.port);
    await submit(graph);
    await submit(graph);
    expect(heard.all).toEqual([]);
    worker.restart();
    await submit(graph);
    expect(heard.all).toEqual([{ type: 'worker_restarted' }]);
  });
});

describe('the event socket', () => {
  test('comes back by itself after it was lost, later after each failure', async () => {
    const worker = await fake();
    const time = new ManualTime();
    const { client, heard } = await connectTo(worker.port, { timer: time.timer, now: time.now });
    heard.forget();
    worker.dropSockets();
    await heard.next('socket_closed');
    expect(client.isConnected).toBe(false);
    time.advance(250);
    await heard.next('socket_opened');
    expect(client.isConnected).toBe(true);
  });

  test('is cut when the worker does not answer a ping', async () => {
    const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false });
    await new Promise((resolve) => sockets.once('listening', resolve));
    const time = new ManualTime();
    const { heard } = await connectTo((sockets.address() as { port: number }).port, { timer: time.timer });
    time.advance(20_000);
    expect(heard.all.map(({ type }) => type)).toEqual(['socket_opened']);
    time.advance(10_000);
    await heard.next('socket_closed');
    for (const socket of sockets.clients) socket.terminate();
    await new Promise((resolve) => sockets.close(resolve));
  });

  test('stays while pings are answered', async () => {
    const worker = await fake();
    const time = new ManualTime();
    const { client, heard } = await connectTo(worker.port, { timer: time.timer });
    for (let round = 0; round < 3; round++) {
      const before = time.nextTimerMs;
      time.advance(20_000);
      // The pong sets the next ping in place of the deadline for the pong.
      await expect.poll(() => (time.nextTimerMs ?? 0) - (before ?? 0)).toBe(20_000);
    }
    expect([client.isConnected, heard.all.some(({ type }) => type === 'socket_closed')]).toEqual([
      true,
      false,
    ]);
  });

  test('first says that it understands previews that name their prompt, and sends the configured headers', async () => {
    const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await new Promise((resolve) => sockets.once('listening', resolve));
    const { port } = sockets.address() as { port: number };
    const first = new Promise<unknown>((resolve) => {
      sockets.on('connection', (socket, request) => {
        socket.once('message', (data) =>
          resolve([String(data), request.headers['x-key'], request.headers.origin, request.url]),
        );
      });
    });
    const address = { host: '127.0.0.1', port, basePath: '', tls: false as const, headers: { 'x-key': 'k' } };
    await connectTo(port, { address, clientId: 'a b' });
    expect(await first).toEqual([
      '{"type":"feature_flags","data":{"supports_preview_metadata":true}}',
      'k',
      undefined,
      '/ws?clientId=a%20b',
    ]);
    for (const socket of sockets.clients) socket.terminate();
    await new Promise((resolve) => sockets.close(resolve));
  });
});

async function* endless(): AsyncGenerator<Buffer> {
  for (;;) yield Buffer.alloc(65_536, ' ');
}
