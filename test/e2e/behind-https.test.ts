import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { fileURLToPath } from 'node:url';
import { holdPort } from '@switchyard/dev-env/cluster';
import { httpsProxies } from '@switchyard/dev-env/https-proxies';
import { type RunningProxy, testProgram } from '@switchyard/dev-env/proxy-process';
import { selfSigned } from '@switchyard/dev-env/self-signed';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';

const { title, isSkipped } = testProgram('nginx', "one gateway behind the guide's nginx with TLS");
const configFile = fileURLToPath(new URL('../../deploy/proxies/switchyard.yaml', import.meta.url));

describe.skipIf(isSkipped)(title, () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()];
  let gateway: SpawnedGateway;
  let nginx: RunningProxy;
  let url: string;
  let cookies: string;
  let csrf: string;
  beforeAll(async () => {
    const [held, plain] = [await holdPort(), await holdPort()];
    url = `https://localhost:${held.port}`;
    gateway = await SpawnedGateway.start({
      home: home.path,
      env: { PUBLIC_URL: url },
      args: ['--port', '0', '--config', configFile],
    });
    await Promise.all([held.release(), plain.release()]);
    nginx = await httpsProxies.nginx({
      folder: folder.path,
      port: held.port,
      plainPort: plain.port,
      certificate: selfSigned,
      gatewayPort: Number(new URL(gateway.url).port),
    });
    const answer = await call('POST', '/api/v1/auth/register', {
      body: JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery' }),
      headers: { origin: url, 'content-type': 'application/json' },
    });
    expect(answer.status, answer.text).toBe(201);
    const set = answer.headers['set-cookie'] ?? [];
    expect(set.every((cookie) => /; Secure/i.test(cookie))).toBe(true);
    cookies = set.map((cookie) => cookie.split(';')[0]).join('; ');
    csrf = /csrf_token=([^;]+)/.exec(cookies)?.[1] ?? '';
  });
  afterAll(async () => {
    await nginx?.stop();
    await gateway?.stop();
    home.remove();
    folder.remove();
  });

  const signedIn = (headers: Record<string, string> = {}) => ({
    cookie: cookies,
    'x-csrf-token': csrf,
    origin: url,
    'content-type': 'application/json',
    ...headers,
  });

  it('leads plain HTTP to HTTPS', async () => {
    const answer = await fetch(`${nginx.url}/tasks?status=failed`, { redirect: 'manual' });
    const location = answer.headers.get('location') ?? '';
    expect([answer.status, new URL(location).protocol]).toEqual([308, 'https:']);
    expect(location).toMatch(/\/tasks\?status=failed$/);
  });

  it('streams the answer of an agent to a page that is signed in with cookies', async () => {
    const thread = await call('POST', '/api/threads', { body: '{}', headers: signedIn() });
    const { thread_id: threadId } = JSON.parse(thread.text) as { thread_id: string };
    const input = { messages: [{ role: 'user', content: 'what can you do?' }] };
    const { status, headers, text } = await call('POST', `/api/threads/${threadId}/runs/stream`, {
      body: JSON.stringify({ assistant_id: 'lead_agent', input }),
      headers: signedIn(),
    });
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect(text).toContain('event: metadata');
    expect(text).toContain('event: values');
  });

  it('takes an upload that is larger than what nginx takes by itself', async () => {
    const boundary = 'a-boundary';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`;
    const { status, text } = await call('POST', '/api/files/upload', {
      body: `${head}${'x'.repeat(3_000_000)}\r\n--${boundary}--\r\n`,
      headers: signedIn({ 'content-type': `multipart/form-data; boundary=${boundary}` }),
    });
    expect(status, text).toBe(200);
    const { data } = JSON.parse(text) as { data: { url: string; size: number } };
    expect(data.size).toBe(3_000_000);
    expect(data.url.startsWith(`${url}/uploads/`)).toBe(true);
  });

  it('opens a WebSocket', async () => {
    const socket = new WebSocket(`${url.replace('https', 'wss')}/ws`, {
      ca: selfSigned.cert,
      headers: { cookie: cookies, origin: url },
    });
    const first = await new Promise<string>((resolve, reject) => {
      socket.once('message', (raw) => resolve(String(raw)));
      socket.once('error', reject);
      socket.once('close', (code) => reject(new Error(`It was closed with ${code}.`)));
    });
    socket.close();
    expect(JSON.parse(first)).toMatchObject({ type: 'global_status' });
  });

  function call(
    method: string,
    path: string,
    { body, headers }: { body: string; headers: Record<string, string> },
  ): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
    return new Promise((resolve, reject) => {
      const sent = request(new URL(path, url), { method, headers, ca: selfSigned.cert }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
        answer.once('error', reject);
      });
      sent.once('error', reject);
      sent.end(body);
    });
  }
});
