import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { canBrowse, launchChromium } from '@switchyard/dev-env/chromium';
import { holdPort } from '@switchyard/dev-env/cluster';
import { type HttpsProxyName, httpsProxies } from '@switchyard/dev-env/https-proxies';
import { startOwnPostgres } from '@switchyard/dev-env/own-postgres';
import { testPostgres } from '@switchyard/dev-env/postgres';
import { type RunningProxy, testProgram } from '@switchyard/dev-env/proxy-process';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { CloseStack } from '@switchyard/server/lib/close-stack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConversationStream } from '../../packages/server/test/support/conversation-stream.ts';
import { wordsOf } from '../browser/support/words.ts';
import { certificateFor } from './certificate.ts';
import { HttpsClient } from './https-client.ts';
import { PausingSource } from './pausing-source.ts';

/** The name that the recipes have. */
const name = 'switchyard.example.com';
const configFile = fileURLToPath(new URL('../../deploy/proxies/switchyard.yaml', import.meta.url));
const agent = fileURLToPath(new URL('pausing-agent.ts', import.meta.url));
const account = { email: 'ada@example.com', password: 'a quiet darkroom 7' };
const uploadBytes = 100 * 1024 * 1024;
/** Longer than the gateway is silent (15 s), so that the stream has pings as well. Three make a minute. */
const pauses = [20_000, 20_000, 20_000];

/** What a user meets behind one of the recipes: the built gateway on Postgres, with TLS, under a name. */
export function describeProxy(proxyName: HttpsProxyName): void {
  const about = `the gateway behind the recipe of ${proxyName}`;
  const postgresHere = testPostgres(about);
  const { title, isSkipped } = postgresHere.title === about ? testProgram(proxyName, about) : postgresHere;

  describe.skipIf(isSkipped)(title, () => {
    let stage: Stage;
    let client: HttpsClient;
    beforeAll(async () => {
      stage = await openStage(proxyName);
      client = stage.client;
      const answer = await client.call('/api/v1/auth/register', { body: JSON.stringify(account) });
      expect(answer.status, answer.text).toBe(201);
      const cookies = [answer.headers['set-cookie'] ?? []].flat();
      expect(cookies.length).toBeGreaterThan(1);
      for (const cookie of cookies) expect(cookie).toMatch(/; Secure/i);
    });
    afterAll(() => stage?.close());

    it('has plain HTTP led to HTTPS', async () => {
      const answer = await fetch(`${stage.proxy.url}/tasks?status=failed`, { redirect: 'manual' });
      const location = answer.headers.get('location') ?? '';
      expect([answer.status, new URL(location).protocol]).toEqual([308, 'https:']);
      expect(location).toMatch(/\/tasks\?status=failed$/);
    });

    it('takes the cookies of a page with its token against forged requests, and refuses one without', async () => {
      expect(await client.json('/api/v1/auth/me')).toMatchObject({ email: account.email });
      const [body, csrf] = ['{}', { 'x-csrf-token': '' }];
      expect((await client.call('/api/threads', { body })).status).toBe(200);
      expect((await client.call('/api/threads', { body, headers: csrf })).status).toBe(403);
    });

    it('believes the proxy alone about the address that was called', async () => {
      const login = (headers: Record<string, string>) =>
        client.call('/api/v1/auth/login/local', {
          body: new URLSearchParams({ username: account.email, password: account.password }).toString(),
          headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        });
      const claims: Record<string, string>[] = [
        { forwarded: 'proto=https;host=evil.example' },
        { 'x-forwarded-host': 'evil.example', 'x-forwarded-port': '443' },
        { 'x-forwarded-proto': 'http', 'x-forwarded-port': '80' },
      ];
      for (const claim of claims) {
        const foreign = await login({ ...claim, origin: 'https://evil.example' });
        expect([foreign.status, claim]).toEqual([403, claim]);
        const own = await login(claim);
        expect([own.status, claim]).toEqual([200, claim]);
        for (const cookie of [own.headers['set-cookie'] ?? []].flat()) expect(cookie).toMatch(/; Secure/i);
      }
    });

    it('locks out the client that the proxy sees, whatever address it claims', async () => {
      const login = async (from: string, claim: string, password: string) => {
        const { sent, answer } = client.begin('/api/v1/auth/login/local', {
          method: 'POST',
          http: 1,
          from,
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            'x-real-ip': claim,
            'x-forwarded-for': claim,
          },
        });
        sent.end(new URLSearchParams({ username: account.email, password }).toString());
        const { status, body } = await answer;
        body.resume();
        return status;
      };
      for (let turn = 1; turn <= 5; turn += 1)
        expect(await login('127.0.0.2', `203.0.113.${turn}`, 'wrong password')).toBe(401);
      expect(await login('127.0.0.2', '203.0.113.9', account.password)).toBe(429);
      expect(await login('127.0.0.3', '127.0.0.2', account.password)).toBe(200);
    });

    it('refuses its figures to a stranger behind the proxy', async () => {
      expect((await client.call('/metrics')).status).toBe(401);
    });

    it('serves the page of the console and everything that it loads', async () => {
      const page = await client.call('/', { headers: { accept: 'text/html' } });
      expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      const assets = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path);
      expect(assets.filter((path) => path.endsWith('.js')).length).toBeGreaterThan(0);
      for (const path of assets) expect((await client.call(path)).status, path).toBe(200);
    });

    it.skipIf(!canBrowse)('lets a person sign in with a browser', async () => {
      const browser = await launchChromium([name]);
      try {
        const context = await browser.newContext({ baseURL: client.origin, ignoreHTTPSErrors: true });
        const page = await context.newPage();
        await page.goto('/');
        const text = wordsOf('en')('sign-in');
        await page.getByLabel(text('email')).fill(account.email);
        await page.getByLabel(text('password.label'), { exact: true }).fill(account.password);
        await page.getByRole('button', { name: text('login.submit'), exact: true }).click();
        await page.getByRole('heading', { level: 1, name: wordsOf('en')('start')('title') }).waitFor();
        const cookies = await context.cookies();
        expect(cookies.map(({ secure }) => secure)).toEqual(cookies.map(() => true));
      } finally {
        await browser.close();
      }
    });

    it('passes each event of a stream of a minute on when it is made', async () => {
      const { thread_id: threadId } = await client.json<{ thread_id: string }>('/api/threads', {});
      const stream = await openStream(client, {
        threadId,
        body: { assistant_id: 'pausing', input: says(stage.source), stream_mode: ['custom'] },
      });
      expect(stream.headers.get('content-type')).toBe('text/event-stream');
      for (const [index, pauseMs] of pauses.entries()) {
        const question = await stage.questions.question();
        // The minute is the subject of this test: the agent is silent for longer than the gateway is.
        await sleep(pauseMs);
        question.end(`event ${index}`);
        // The next one is made when this one has come, so a proxy that collects ends here.
        const { data } = await stream.until(({ event }) => event === 'custom');
        expect(data).toEqual({ said: `event ${index}` });
      }
      (await stage.questions.question()).end('the end');
      await stream.rest();
      expect(stream.of('custom').map(({ data }) => data.said)).toEqual(pauses.map((_, n) => `event ${n}`));
      expect(stream.of('error')).toEqual([]);
      expect(stream.comments).toBeGreaterThanOrEqual(pauses.length);
    });

    it('hears that a reader has gone, and cancels the run that the reader wanted to end with', async () => {
      const { thread_id: threadId } = await client.json<{ thread_id: string }>('/api/threads', {});
      const stream = await openStream(client, {
        threadId,
        body: { assistant_id: 'pausing', input: says(stage.source), on_disconnect: 'cancel' },
      });
      await stage.questions.question();
      stream.leave();
      const runs = () => client.json<{ status: string }[]>(`/api/threads/${threadId}/runs`);
      await expect.poll(async () => (await runs())[0]?.status).toBe('interrupted');
    });

    it.each([1, 2] as const)('takes 100 MB over HTTP/%i and gives the same bytes back', async (http) => {
      const bytes = randomBytes(uploadBytes);
      const { sent, answer } = client.beginAsPage('/api/files/upload', {
        method: 'POST',
        http,
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      });
      sent.write(partHead);
      for (let begin = 0; begin < bytes.length; begin += 65_536)
        if (!sent.write(bytes.subarray(begin, begin + 65_536))) await once(sent, 'drain');
      sent.end(partEnd);
      const { status, body } = await answer;
      const uploaded = JSON.parse(await textOf(body)) as { data: { url: string; sha256: string } };
      expect(status).toBe(200);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      expect(uploaded.data.sha256).toBe(sha256);

      // A signed link, which begins with the public address.
      expect(uploaded.data.url.startsWith(`${client.origin}/uploads/`)).toBe(true);
      const link = new URL(uploaded.data.url);
      const loaded = client.begin(link.pathname + link.search, { http });
      loaded.sent.end();
      const hash = createHash('sha256');
      for await (const chunk of (await loaded.answer).body) hash.update(chunk as Buffer);
      expect(hash.digest('hex')).toBe(sha256);
    });

    it.each([1, 2] as const)(
      'passes an upload on while it comes, and a refusal back, over HTTP/%i',
      async (http) => {
        const statuses = new Set<number>();
        for (let turn = 0; turn < (http === 1 ? refusedUploads : 1); turn += 1) {
          const { sent, answer } = client.begin('/api/files/upload', {
            method: 'POST',
            http,
            headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
          });
          sent.on('error', () => undefined); // the proxy may close the connection of a refused body
          // The rest comes after the answer, so the gateway can refuse it only when the beginning has reached it.
          sent.write(partHead + 'x'.repeat(500_000));
          const { status, body } = await answer;
          statuses.add(status);
          sent.end(partEnd);
          body.resume();
        }
        expect([...statuses], stage.proxy.output()).toEqual([401]);
      },
    );

    it('opens the WebSocket of the push, in both directions', async () => {
      const socket = client.socket('/ws');
      const messages: { type: string }[] = [];
      socket.on('message', (raw) => messages.push(JSON.parse(String(raw))));
      await once(socket, 'open');
      await expect.poll(() => messages.map(({ type }) => type)).toContain('global_status');
      socket.send(JSON.stringify({ type: 'ping' }));
      await expect.poll(() => messages.map(({ type }) => type)).toContain('pong');
      socket.close();
    });

    it('opens the WebSocket of protocol v2, and a run over it', async () => {
      const { thread_id: threadId } = await client.json<{ thread_id: string }>('/api/threads', {});
      const socket = client.socket(`/api/langgraph/threads/${threadId}/stream/events`);
      // biome-ignore lint/suspicious/noExplicitAny: a test reads messages as they come
      const messages: any[] = [];
      socket.on('message', (raw) => messages.push(JSON.parse(String(raw))));
      await once(socket, 'open');
      const send = (id: number, method: string, params: object) =>
        socket.send(JSON.stringify({ id, method, params }));
      send(1, 'subscription.subscribe', { channels: ['values', 'lifecycle'] });
      const input = { messages: [{ role: 'user', content: 'what can you do?' }] };
      send(2, 'run.start', { assistant_id: 'lead_agent', input });
      await expect
        .poll(() =>
          messages.find(
            ({ method, params }) =>
              method === 'lifecycle' && params.data.event !== 'running' && params.namespace.length === 0,
          ),
        )
        .toMatchObject({ params: { data: { event: 'completed' } } });
      expect(messages.filter(({ type }) => type === 'success').map(({ id }) => id)).toEqual([1, 2]);
      socket.close();
    });

    it('passes its 503 with Retry-After on while Postgres is away, and serves when it is back', async () => {
      const { thread_id: threadId } = await client.json<{ thread_id: string }>('/api/threads', {});
      await stage.postgres.end();
      const ready = async () => (await client.call('/readyz')).status;
      await expect.poll(ready).toBe(503);
      for (const call of [{}, { body: '{}' }]) {
        const { status, headers } = await client.call(
          `/api/threads/${threadId}${call.body ? '/runs' : ''}`,
          call,
        );
        expect(status).toBe(503);
        expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      }
      await stage.postgres.restart();
      await expect.poll(ready).toBe(200);
      expect((await client.call(`/api/threads/${threadId}`)).status).toBe(200);
    });
  });
}

const boundary = 'a-boundary';
/** A refusal that is lost is lost by chance. */
const refusedUploads = 100;
const partHead = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n`;
const partEnd = `\r\n--${boundary}--\r\n`;

const says = (content: string) => ({ messages: [{ role: 'user', content }] });

async function textOf(body: Readable): Promise<string> {
  let text = '';
  for await (const chunk of body.setEncoding('utf8')) text += chunk;
  return text;
}

async function openStream(
  client: HttpsClient,
  { threadId, body }: { threadId: string; body: object },
): Promise<ConversationStream> {
  const { sent, answer, leave } = client.beginAsPage(`/api/threads/${threadId}/runs/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  sent.end(JSON.stringify(body));
  const { status, headers, body: frames } = await answer;
  expect(status).toBe(200);
  const abort = new AbortController();
  abort.signal.addEventListener('abort', leave);
  const type = String(headers['content-type']);
  const response = new Response(Readable.toWeb(frames) as ReadableStream, {
    headers: { 'content-type': type },
  });
  return new ConversationStream(response, abort);
}

interface Stage {
  client: HttpsClient;
  proxy: RunningProxy;
  postgres: Awaited<ReturnType<typeof startOwnPostgres>>;
  /** Where the pausing agent asks, and what it asks. */
  source: string;
  questions: PausingSource;
  close(): Promise<void>;
}

async function openStage(proxyName: HttpsProxyName): Promise<Stage> {
  const opened = new CloseStack();
  try {
    const [home, folder] = [temporaryFolder(), temporaryFolder()];
    opened.add(home.remove);
    opened.add(folder.remove);
    const questions = new PausingSource();
    const source = await questions.open();
    opened.add(async () => questions.close());
    const postgres = await startOwnPostgres();
    opened.add(() => postgres.stop());
    const [held, plain] = [await holdPort(), await holdPort()];
    const origin = `https://${name}:${held.port}`;
    const gateway = await SpawnedGateway.start({
      home: home.path,
      env: {
        PUBLIC_URL: origin,
        SWITCHYARD__DATABASE__BACKEND: 'postgres',
        SWITCHYARD__DATABASE__URL: await postgres.createDatabase(),
        SWITCHYARD__AGENTS: `pausing=${agent}:graph`,
      },
      args: ['--port', '0', '--config', configFile],
    });
    opened.add(async () => void (await gateway.stop()));
    await Promise.all([held.release(), plain.release()]);
    const certificate = certificateFor(name);
    const proxy = await httpsProxies[proxyName]({
      folder: join(folder.path, proxyName),
      port: held.port,
      plainPort: plain.port,
      gatewayPort: Number(new URL(gateway.url).port),
      certificate,
    });
    opened.add(() => proxy.stop());
    const client = new HttpsClient(origin, certificate.cert);
    opened.add(async () => client.close());
    return { client, proxy, postgres, source, questions, close: () => opened.close() };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
