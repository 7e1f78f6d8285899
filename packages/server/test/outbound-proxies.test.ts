import { createServer, request as httpRequest, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type FakeOpenAi, startFakeOpenAi } from '@switchyard/dev-env/fake-openai';
import { FakeTelegram } from '@switchyard/dev-env/fake-telegram';
import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { startScriptedServer } from '@switchyard/dev-env/scripted-server';
import { readChannels } from '@switchyard/server/config/channels';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { WorkerHttp } from '../src/dispatch/worker-client/comfyui/worker-http.ts';
import { systemTimer } from '../src/lib/async/timer.ts';
import { guardedPost } from '../src/platform/outbound/guarded-calls.ts';
import { guardedLookup } from '../src/platform/outbound/host-rules.ts';
import { Outbound } from '../src/platform/outbound/outbound.ts';
import { noProxies } from '../src/platform/outbound/proxy-rules.ts';
import { postWebhook } from '../src/platform/outbound/webhook-call.ts';
import { createLogger } from '../src/platform/telemetry/logger.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow } from './support/dispatch-pool.ts';
import { firstAdmin } from './support/first-admin.ts';
import { type McpHttpServer, startMcpHttpServer } from './support/mcp-http-server.ts';

const password = 'pr0xy-pass';

/** A proxy of a company, for tunnels and for whole addresses, which knows the hosts of the test. */
class ForwardProxy {
  readonly seen: string[] = [];
  /** The port on this machine at which each host is found. */
  readonly hosts: Record<string, number> = {};
  status: number | null = null;
  readonly #server: Server;

  constructor() {
    const mayPass = (headers: { 'proxy-authorization'?: string | undefined }) =>
      this.status ?? (headers['proxy-authorization'] === `Basic ${btoa(`us@er:${password}`)}` ? null : 407);
    this.#server = createServer((incoming, response) => {
      this.seen.push(`${incoming.method} ${incoming.url}`);
      const refused = mayPass(incoming.headers);
      if (refused !== null) return response.writeHead(refused).end('refused by the proxy');
      const { hostname, pathname, search } = new URL(incoming.url ?? '');
      const { 'proxy-authorization': _mine, ...headers } = incoming.headers;
      const onward = httpRequest(
        {
          host: '127.0.0.1',
          port: this.hosts[hostname] ?? 1,
          path: pathname + search,
          method: incoming.method ?? 'GET',
          headers,
        },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        },
      );
      onward.on('error', () => response.writeHead(502).end());
      response.on('close', () => onward.destroy());
      return incoming.pipe(onward);
    });
    this.#server.on('connect', (incoming, socket) => {
      this.seen.push(`CONNECT ${incoming.url}`);
      const refused = mayPass(incoming.headers);
      if (refused !== null) return socket.end(`HTTP/1.1 ${refused} No\r\n\r\n`);
      const host = new URL(`http://${incoming.url}`).hostname;
      const onward = connect(this.hosts[host] ?? 1, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      for (const end of [socket, onward]) end.on('error', () => end.destroy());
      return socket.on('close', () => onward.destroy());
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://us%40er:${password}@127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const proxy = new ForwardProxy();
const hooked: string[] = [];
const logged: string[] = [];
let address: string;
let provider: FakeOpenAi;
let telegram: FakeTelegram;
let mcp: McpHttpServer;
let worker: FakeWorker;
let hook: Awaited<ReturnType<typeof startScriptedServer>>;
let secureHook: Awaited<ReturnType<typeof startScriptedServer>>;
let server: ConversationGateway;
let outbound: Outbound;
let adminToken: string;

const portOf = (url: string) => Number(new URL(url).port);

beforeAll(async () => {
  address = await proxy.listen();
  outbound = new Outbound({ ...noProxies, http: address });
  provider = await startFakeOpenAi(() => ({ text: 'Through the proxy.' }));
  telegram = await FakeTelegram.start();
  mcp = await startMcpHttpServer();
  worker = await FakeWorker.start({ outputBytes: 64 });
  const noteCall: Parameters<typeof startScriptedServer>[0] = ({ headers }, response) => {
    hooked.push(JSON.stringify(headers));
    response.end();
  };
  hook = await startScriptedServer(noteCall);
  secureHook = await startScriptedServer(noteCall, { tls: true });
  Object.assign(proxy.hosts, {
    'models.example': portOf(provider.url),
    'telegram.example': portOf(telegram.url),
    'mcp.example': portOf(mcp.url),
    'hook.example': hook.port,
    'secure.example': secureHook.port,
    'worker.example': worker.port,
  });
  const chat = { type: 'telegram', token: telegram.token, base_url: 'http://telegram.example' };
  server = await startConversation(
    {
      outbound: { http_proxy: address, no_proxy: 'direct.example', proxy_workers: true },
      models: readModels({ away: { model: 'm', base_url: 'http://models.example/v1', api_key: 'k' } }),
      channels: readChannels({ bot: { ...chat, users: { 7: 'ada@example.com' }, assistant: 'lead_agent' } }),
    },
    {
      logger: createLogger({
        level: 'trace',
        format: 'json',
        destination: { write: (line) => void logged.push(line) },
      }),
    },
  );
  adminToken = (await firstAdmin(server.gateway)).token;
});
beforeEach(() => {
  proxy.seen.length = 0;
  hooked.length = 0;
  proxy.status = null;
});
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  await server.close();
  await outbound.close();
  proxy.close();
  await Promise.all([provider, telegram, mcp, worker, hook, secureHook].map((each) => each.close()));
  expect(logged.join('')).not.toContain(password);
});

const post = (url: string, through = outbound) =>
  postWebhook(through, url, {
    headers: {},
    body: '{}',
    policy: { allowPrivate: false },
    signal: new AbortController().signal,
  });

it('models, channels and MCP servers are reached through the proxy', async () => {
  await expect
    .poll(() => proxy.seen)
    .toContain(`POST http://telegram.example/bot${telegram.token}/getUpdates`);
  telegram.say({ chatId: 5, userId: 7, text: 'hello' });
  await expect.poll(() => telegram.shown(5).map(({ text }) => text)).toEqual(['Through the proxy.']);
  expect(proxy.seen).toContain('POST http://models.example/v1/chat/completions');

  await asAdmin('PUT', '/config', {
    mcp_servers: { tools: { type: 'http', url: 'http://mcp.example/mcp' } },
  });
  expect((await asAdmin('POST', '/servers/tools/test')).status).toBe(200);
  expect(proxy.seen).toContain('POST http://mcp.example/mcp');
});

it('a run says which proxy is away or wants another password, and never the password', async () => {
  proxy.status = 407;
  const threadId = await server.ada.thread();
  const answer = await server.ada.post(`/threads/${threadId}/runs/wait`, {
    assistant_id: 'lead_agent',
    input: { messages: [{ type: 'human', content: 'Hi' }] },
  });
  expect(answer.text).toContain('refuses our user and password (407)');
  expect(answer.text).not.toContain(password);
});

it('webhooks go through it: whole addresses for http, tunnels for https', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  expect(await post('http://hook.example/a?b=1')).toEqual({ status: 200 });
  expect(await post('https://secure.example/c')).toEqual({ status: 200 });
  expect(proxy.seen).toEqual(['POST http://hook.example/a?b=1', 'CONNECT secure.example:443']);
  expect(hooked.join()).not.toMatch(/proxy-auth/i);
});

it.each(['http://10.0.0.1/', 'http://169.254.169.254/', 'http://metadata.google.internal/'])(
  'the proxy is never asked for %s',
  async (url) => {
    const call = { headers: {}, body: '', allowPrivate: false, signal: new AbortController().signal };
    expect(await guardedPost(outbound, url, call)).toMatchObject({ error: expect.anything() });
    expect(proxy.seen).toEqual([]);
  },
);

it('the proxy is never asked for a name that leads to a private address', async () => {
  const toAll = new Outbound({ ...noProxies, http: address, loopback: true });
  const outcome = await post('http://localhost:1/', toAll);
  expect(outcome).toMatchObject({ error: [{ code: 'leads_elsewhere' }] });
  expect(proxy.seen).toEqual([]);
  await toAll.close();
});

it('loopback and the hosts of NO_PROXY are called directly, loopback through the proxy when asked for', async () => {
  const direct = new Outbound({ ...noProxies, http: address, except: 'models.example' });
  const toAll = new Outbound({ ...noProxies, http: address, loopback: true });
  const url = `http://127.0.0.1:${hook.port}/`;
  proxy.hosts['127.0.0.1'] = hook.port;
  expect((await direct.fetch(url)).status).toBe(200);
  await expect(direct.fetch('http://models.example/')).rejects.toThrow('fetch failed');
  expect(proxy.seen).toEqual([]);
  expect((await toAll.fetch(url)).status).toBe(200);
  expect(proxy.seen).toEqual([`GET ${url}`]);
  await Promise.all([direct.close(), toAll.close()]);
});

it.each(['http://hook.example/', 'https://secure.example/'])(
  'a webhook to %s says what is wrong with the proxy, without its credentials',
  async (url) => {
    proxy.status = 407;
    const fresh = new Outbound({ ...noProxies, http: address });
    const login = await post(url, fresh);
    await fresh.close();
    expect(login).toMatchObject({ error: [{ code: 'proxy_login' }] });
    const away = new Outbound({ ...noProxies, http: `http://us:${password}@127.0.0.1:1` });
    const unreachable = await post(url, away);
    expect(unreachable).toMatchObject({
      error: [{ code: 'proxy_unreachable', values: { proxy: '127.0.0.1:1', code: 'ECONNREFUSED' } }],
    });
    await away.close();
    expect(JSON.stringify([login, unreachable])).not.toContain(password);
  },
);

it('a tunnel that the proxy refuses is told with its status', async () => {
  proxy.status = 403;
  const fresh = new Outbound({ ...noProxies, http: address });
  expect(await post('https://secure.example/', fresh)).toMatchObject({
    error: [{ code: 'proxy_refuses', values: { status: '403' } }],
  });
  await fresh.close();
});

async function asAdmin(method: 'PUT' | 'POST', path: string, body?: object) {
  const answer = await server.gateway.fetch(`/api/mcp${path}`, {
    method,
    headers: { 'x-api-key': adminToken, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

it('workers are called through the proxy when that is asked for, with their socket of events', async () => {
  const admin = await DispatchCaller.login(server.gateway.url, 'root@example.com');
  const instances = [{ ip: 'worker.example', port: 8188 }];
  await admin.call('PUT', '/api/config', {
    servers: [{ id: 'far', name: 'Far', kind: 'comfyui', instances }],
    healthCheck: { interval: 1 },
  });
  const { id } = await admin.submit({ workflow: anyWorkflow });
  expect(await admin.ended(id)).toMatchObject({ status: 'completed' });
  expect(worker.clientIds).toHaveLength(1);
  expect(new Set(proxy.seen)).toEqual(new Set(['CONNECT worker.example:8188']));
});

it('a worker behind TLS is reached in a tunnel, and a proxy that refuses it is named without its password', async () => {
  const http = new WorkerHttp(
    { host: 'secure.example', port: 443, basePath: '', tls: { verify: false, ca: null }, headers: {} },
    {
      timer: systemTimer,
      lookup: guardedLookup({ allowPrivate: true }),
      proxies: { ...noProxies, http: address },
    },
  );
  const ask = () => http.call({ method: 'GET', path: '/', deadlineMs: 60_000, maxBytes: 100 });
  try {
    expect((await ask()).status).toBe(200);
    // The gateway goes on to look after the worker of the test before.
    expect(proxy.seen.filter((seen) => !seen.includes('worker.example'))).toEqual([
      'CONNECT secure.example:443',
    ]);
    http.close();
    proxy.status = 403;
    const refused = await ask().catch((error: unknown) => error);
    expect(refused).toMatchObject({
      workerCause: 'unreachable',
      mayHaveArrived: false,
      message: expect.stringMatching(/The proxy 127\.0\.0\.1:\d+ refuses .*403/),
    });
    expect(String(refused)).not.toContain(password);
  } finally {
    http.close();
  }
});
