import { connect } from 'node:net';
import { pushCloseCodes } from '@switchyard/contract/dispatch/push';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createLogger } from '../src/platform/telemetry/logger.ts';
import { ComfyuiCaller } from './support/comfyui-caller.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';

const pictures = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 2, color: 255 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'path' } },
};

interface Made {
  id: string;
  token: string;
}

describe('a token in the address of the door', () => {
  const lines: string[] = [];
  let gateway: DevGateway;
  let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
  let session: HttpSession;
  let root: HttpSession;

  beforeAll(async () => {
    const logger = createLogger({
      level: 'trace',
      format: 'json',
      destination: { write: (line) => void lines.push(line) },
    });
    gateway = await startGateway({ logger });
    worker = await startReferenceWorker();
    const admin = await DispatchCaller.initialize(gateway.url);
    await admin.useWorkers([worker.port]);
    const [email, password] = ['admin@example.com', 'correct horse battery'];
    root = await HttpSession.login(gateway.url, { email, password });
    session = await gateway.register('ada@example.com');
  });
  afterAll(async () => {
    await gateway.stop();
    await worker.close();
  });

  const make = (scopes: readonly string[], of = session): Promise<Made> =>
    of.post<Made>('/api/v1/auth/tokens', { name: 'client', scopes });
  const addressOf = (token: string) => `${gateway.url}/comfy/t/${token}`;
  const withAddress = ({ token }: Made) => new ComfyuiCaller(addressOf(token), token, {});

  it('serves a client that takes only an address, with its calls and its socket', async () => {
    const client = withAddress(await make(['comfyui']));
    const listener = await client.listen('window');
    const promptId = await client.queue(pictures, { client_id: 'window' });
    const frames = await listener.settled(promptId);
    const [file] = frames.find(({ type }) => type === 'executed').data.output.images;

    expect((await client.fetch(`/api/view?${new URLSearchParams(file)}`)).status).toBe(200);
    expect(Object.keys(await client.get('/history'))).toEqual([promptId]);
    const uploaded = await client.upload('a.png', new Uint8Array([1, 2, 3]));
    expect(uploaded.name).toBe('a.png');
    expect((await client.fetch('/?x=1')).status).toBe(404);
    listener.close();
  });

  it('opens the door from a header too, and nothing else', async () => {
    const { token } = await make(['comfyui']);
    const headers = { authorization: `Bearer ${token}` };
    expect((await gateway.fetch('/comfy/queue', { headers })).status).toBe(200);
    expect((await gateway.fetch('/comfy/free', { headers, method: 'POST' })).status).toBe(200);
    for (const path of ['/api/tasks', '/api/files', '/api/v1/auth/me', '/api/threads', '/api/nothing']) {
      const answer = await gateway.fetch(path, { headers });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(await answer.text()).toContain('it opens the addresses below /comfy and nothing else');
    }
    const health = await (await gateway.fetch('/health', { headers })).json();
    expect(health).not.toHaveProperty('version');
    const push = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws`, { headers });
    expect(await new Promise((resolve) => push.once('close', resolve))).toBe(pushCloseCodes.unauthenticated);
  });

  it('has the scope of the door alone', async () => {
    await expect(make(['comfyui', 'dispatch:read'])).rejects.toThrow('The scope comfyui stands alone');
    const wide = await make(['dispatch:read', 'dispatch:write']);
    const refused = await withAddress(wide).fetch('/queue');
    expect(refused.status).toBe(401);
    expect(await refused.text()).toContain('a token with the scope comfyui alone');
    await expect(withAddress(wide).listen('x')).rejects.toThrow('401');
    // The header of the same request does not make it right.
    const headers = { authorization: `Bearer ${wide.token}` };
    expect((await fetch(`${addressOf(wide.token)}/queue`, { headers })).status).toBe(401);
    expect((await gateway.fetch('/comfy/queue', { headers })).status).toBe(200);
  });

  it('ends when it is deleted, and when its account is disabled, with the sockets that it has opened', async () => {
    const made = await make(['comfyui']);
    const deleted = withAddress(made);
    const listener = await deleted.listen('x');
    await session.delete(`/api/v1/auth/tokens/${made.id}`);
    expect(await listener.closed).toBe(pushCloseCodes.unauthenticated);
    expect((await deleted.fetch('/queue')).status).toBe(401);
    await expect(deleted.listen('x')).rejects.toThrow('401');

    const bob = await gateway.register('bob@example.com');
    const disabled = withAddress(await make(['comfyui'], bob));
    const open = await disabled.listen('x');
    const { id } = await bob.get<{ id: string }>('/api/v1/auth/me');
    await root.patch(`/api/v1/users/${id}`, { disabled: true });
    expect(await open.closed).toBe(pushCloseCodes.unauthenticated);
    expect((await disabled.fetch('/queue')).status).toBe(401);
  });

  it('stands in no line of the log and in no answer, and no answer lets it out as a referrer', async () => {
    const { token } = await make(['comfyui']);
    const wrong = `${token.slice(0, -6)}abcdef`;
    lines.length = 0;
    const seen: string[] = [];
    const ask = async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(addressOf(path), init);
      seen.push(await answer.text(), JSON.stringify([...answer.headers]));
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      return answer.status;
    };
    expect(await ask(`${token}/queue`)).toBe(200);
    expect(await ask(`${token}/manager/version`)).toBe(404);
    expect(await ask(token)).toBe(404);
    expect(await ask(`${token}/history?max_items=x`)).toBe(400);
    expect(await ask(`${token}/prompt`, { method: 'POST', body: '{' })).toBe(400);
    expect(await ask(`${token}/prompt`, { method: 'DELETE' })).toBe(405);
    expect(await ask(`${token}/history/%zz`)).toBeGreaterThanOrEqual(400);
    expect(await ask(`${token}/history/${'x'.repeat(2_000)}`)).toBeGreaterThanOrEqual(400);
    expect(await ask(`${wrong}/queue`)).toBe(401);
    expect(await ask(`${wrong}/history/%zz`)).toBeGreaterThanOrEqual(400);
    for (const path of [`${wrong}/ws`, `${token}/queue`, `${token}/ws?clientId=${'x'.repeat(300)}`])
      seen.push(await refusedUpgrade(addressOf(path)));
    seen.push(await raw(`GET /comfy/t/${token}/queue HTTP/1.1\r\nbad header\r\n\r\n`));
    seen.push(await raw(`GET /comfy/t/${token}/queue HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n`));
    // The line of a request is written when its connection is done with it.
    await expect.poll(() => routesIn(lines).length).toBeGreaterThanOrEqual(12);

    for (const text of [...lines, ...seen]) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(wrong);
    }
    expect(routesIn(lines)).toContain('/comfy/t/***/queue');
    expect(routesIn(lines)).toContain('/comfy/t/***/*');
    expect(routesIn(lines)).toContain('/comfy/t/***/ws');
  });

  function routesIn(log: readonly string[]): string[] {
    return log
      .map((line) => JSON.parse(line))
      .flatMap(({ msg, route }) => (msg === 'request' ? [route] : []));
  }

  function refusedUpgrade(url: string): Promise<string> {
    const socket = new WebSocket(url.replace('http', 'ws'));
    return new Promise((resolve) => socket.once('error', (error) => resolve(String(error))));
  }

  /** Sends what no client library sends, and returns all that comes back. */
  function raw(head: string): Promise<string> {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname, () => socket.end(head));
    let text = '';
    socket.on('data', (data) => {
      text += String(data);
    });
    return new Promise((resolve) => socket.once('close', () => resolve(text)));
  }
});
