import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { selfSigned } from '@switchyard/dev-env/self-signed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { type DispatchPool, startPool } from './support/dispatch-pool.ts';

const authorization = `Basic ${Buffer.from('ann:s3cret').toString('base64')}`;

/** What stands in front of a rented box: TLS, a password, and one path for each of its workers. */
async function startProxy(prefix: string, workerPort: number) {
  const pathOf = ({ url = '', headers }: IncomingMessage): string | null =>
    headers.authorization === authorization && url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : null;
  const server = createServer(selfSigned, (request, response) => {
    const path = pathOf(request);
    if (path === null) {
      response.writeHead(request.headers.authorization === authorization ? 404 : 401).end();
      return;
    }
    const { authorization: _, ...headers } = request.headers;
    const onwards = httpRequest({ port: workerPort, path, method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onwards.on('error', () => response.destroy());
    request.pipe(onwards);
  });
  server.on('upgrade', (request: IncomingMessage, client, head: Buffer) => {
    const path = pathOf(request);
    if (path === null) {
      client.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
      return;
    }
    const lines = Object.entries(request.headers).map(([name, value]) => `${name}: ${String(value)}`);
    const worker = connect(workerPort, '127.0.0.1', () => {
      worker.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      worker.write(head);
      client.pipe(worker).pipe(client);
    });
    client.on('error', () => worker.destroy());
    worker.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as AddressInfo).port, close };
}

describe('a worker below a path, behind TLS and a password', () => {
  let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let pool: DispatchPool;
  const server = (changes: object = {}) => ({
    id: 'rented',
    name: 'Rented',
    kind: 'comfyui',
    tls: { ca: selfSigned.cert },
    basePath: '/comfy/',
    headers: { Authorization: authorization },
    instances: [{ ip: '127.0.0.1', port: proxy.port }],
    ...changes,
  });
  const put = (...servers: object[]) =>
    pool.admin.call('PUT', '/api/config', { servers, healthCheck: { interval: 1 } });

  beforeAll(async () => {
    worker = await startReferenceWorker();
    proxy = await startProxy('/comfy', Number(new URL(worker.url).port));
    pool = await startPool({ workers: [] });
  });

  afterAll(async () => {
    await pool.close();
    await proxy.close();
    await worker.close();
  });

  it('runs tasks, takes their files, and is heard, with `<ip>:<port>` as its id', async () => {
    const { data } = await put(server());
    expect(data.servers[0]).toMatchObject({ basePath: '/comfy', headers: { Authorization: '***' } });
    const tested = await pool.admin.call('POST', `/api/instances/127.0.0.1:${proxy.port}/test`);
    expect(tested.data).toMatchObject({ ok: true, instance: { id: `127.0.0.1:${proxy.port}` } });
    const { fileId } = await pool.user.upload('dot.png', png);
    const task = await pool.user.submit({
      workflow: {
        '1': { class_type: 'LoadImage', inputs: { image: 'x.png' } },
        '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
        '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'x' } },
      },
      params: { '1.image': { $file: fileId } },
    });
    const ended = await pool.user.ended(task.id);
    expect(ended).toMatchObject({ status: 'completed', error: null });
    expect(ended.result.outputs).toHaveLength(1);
    // A worker that is not heard on its socket is polled, and its progress is never told.
    expect((await pool.admin.instance(proxy.port)).lastError).toBeNull();
    const { data: nodes } = await pool.user.call('GET', `/api/tasks/${task.id}/nodes`);
    expect(nodes.items.length).toBeGreaterThan(0);
  });

  it('is named with its path when it does not answer as it should', async () => {
    await put(server({ basePath: '/other', headers: { Authorization: authorization } }));
    const away = await pool.admin.until(
      () => pool.admin.instance(proxy.port),
      ({ state }) => state === 'unreachable',
    );
    expect(away.lastError).toContain(`What answers at 127.0.0.1:${proxy.port}/other is not ComfyUI.`);
  });

  it('is refused with the place and the path of the other when its address has one already', async () => {
    const before = (await pool.admin.call('GET', '/api/config')).data;
    const answer = await put(server(), server({ id: 'second', basePath: '/b' }));
    expect(answer.details).toEqual([
      expect.objectContaining({
        path: 'body.servers.1.instances.0',
        message: `127.0.0.1:${proxy.port} is already servers.0.instances.0, below /comfy. An address is one instance: give this worker another port or host name.`,
      }),
    ]);
    expect((await pool.admin.call('GET', '/api/config')).data).toEqual(before);
  });

  it('keeps a masked password only while its path stays', async () => {
    await put(server());
    const masked = { Authorization: '***' };
    expect(await put(server({ headers: masked, basePath: '/comfy' }))).toMatchObject({ code: 200 });
    const moved = await put(server({ headers: masked, basePath: '/b' }));
    expect(moved.details[0]).toMatchObject({ path: 'body.servers.0.headers.Authorization' });
    expect(moved.details[0].message).toContain('the path of this server is another');
  });

  it.each(['comfy', '/a//b', '/a/../b', '/a?b', '/a b'])('refuses the path %s by name', async (basePath) => {
    const answer = await put(server({ basePath }));
    expect(answer.details).toEqual([expect.objectContaining({ path: 'body.servers.0.basePath' })]);
  });

  it('can stand in the configuration file as an address with its user and password', async () => {
    const workers = [`https://ann:s3cret@127.0.0.1:${proxy.port}/comfy/`, '127.0.0.1:9'];
    const gateway = await startGateway({ config: { dispatch: { workers } } });
    try {
      const admin = await DispatchCaller.initialize(gateway.url);
      const { data } = await admin.call('GET', '/api/config');
      expect(data.servers).toEqual([
        {
          id: 'workers',
          name: 'Workers',
          kind: 'comfyui',
          instances: [{ ip: '127.0.0.1', port: 9, weight: 1 }],
        },
        {
          id: 'workers-1',
          name: `127.0.0.1:${proxy.port}`,
          kind: 'comfyui',
          tls: true,
          basePath: '/comfy',
          headers: { Authorization: '***' },
          instances: [{ ip: '127.0.0.1', port: proxy.port, weight: 1 }],
        },
      ]);
    } finally {
      await gateway.stop();
    }
  });
});

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
