import { holdPort } from '@switchyard/dev-env/cluster';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { DispatchCaller } from './support/dispatch-caller.ts';

const graph = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 255 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'page' } },
};

/** What a browser knows of the page: its origin and its cookie. */
interface Opened {
  origin: string;
  cookie: string;
}

describe('the page of ComfyUI on an origin of its own', () => {
  let gateway: DevGateway;
  let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
  let ada: HttpSession;
  let bob: HttpSession;

  beforeAll(async () => {
    gateway = await startGateway({
      config: { doors: { comfyui: { port: 0, page_routes: ['/reference/faults'] } } },
    });
    worker = await startReferenceWorker({ faultRoutes: true });
    const admin = await DispatchCaller.initialize(gateway.url);
    await admin.useWorkers([worker.port]);
    ada = await gateway.register('ada@example.com');
    bob = await gateway.register('bob@example.com');
  });
  afterAll(async () => {
    await gateway.stop();
    await worker.close();
  });

  const password = 'correct horse battery';

  async function ticketOf(session: HttpSession, body: object = {}): Promise<string> {
    return (await session.post<{ data: { url: string } }>('/api/comfyui/page', body)).data.url;
  }

  async function open(session: HttpSession): Promise<Opened> {
    const url = await ticketOf(session);
    const answer = await fetch(url, { redirect: 'manual' });
    expect(answer.status).toBe(303);
    const [cookie = ''] = answer.headers.getSetCookie();
    return { origin: new URL(url).origin, cookie: cookie.slice(0, cookie.indexOf(';')) };
  }

  const get = ({ origin, cookie }: Opened, path: string, headers: Record<string, string> = {}) =>
    fetch(origin + path, { headers: { cookie, ...headers }, redirect: 'manual' });

  const post = ({ origin, cookie }: Opened, path: string, headers: Record<string, string>) =>
    fetch(origin + path, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ prompt: graph }),
    });

  async function socketOf({ origin, cookie }: Opened, headers: Record<string, string>): Promise<WebSocket> {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/ws?clientId=page`, {
      headers: { cookie, ...headers },
    });
    await new Promise((resolve, reject) => socket.once('message', resolve).once('error', reject));
    return socket;
  }

  it('is opened by a ticket that works once and becomes a cookie that scripts cannot read', async () => {
    const url = await ticketOf(ada);
    expect(new URL(url).origin).not.toBe(gateway.url);
    const first = await fetch(url, { redirect: 'manual' });
    expect([first.status, first.headers.get('location')]).toEqual([303, '/']);
    const [cookie = '', ...others] = first.headers.getSetCookie();
    expect(cookie).toMatch(/^comfyui_page=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(others).toEqual([]);
    const again = await fetch(url, { redirect: 'manual' });
    expect([again.status, again.headers.getSetCookie()]).toEqual([401, []]);
    expect(await again.text()).toContain('from the console');
    expect((await fetch(`${url}x`, { redirect: 'manual' })).status).toBe(401);
  });

  it('shows the files of a worker to its user, without the headers of the worker, and to no stranger', async () => {
    const page = await open(ada);
    const index = await get(page, '/');
    const html = await index.text();
    expect(html).toContain('Stand-in for the page of ComfyUI');
    expect(Object.fromEntries(index.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
      'content-security-policy': expect.stringContaining("connect-src 'self'"),
    });
    // Nothing is loaded from elsewhere: the policy names no other site.
    expect(index.headers.get('content-security-policy')).not.toMatch(/https?:|\*/);
    expect(index.headers.get('access-control-allow-origin')).toBeNull();
    const script = /src="(\/assets\/[^"]+)"/.exec(html)?.[1] ?? '';
    const asset = await get(page, script);
    expect(asset.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    const etag = asset.headers.get('etag') ?? '';
    expect((await get(page, script, { 'if-none-match': etag })).status).toBe(304);
    for (const path of ['/', script, '/api/queue'])
      expect((await fetch(page.origin + path, { redirect: 'manual' })).status, path).toBe(401);
    expect((await get(page, script, { 'service-worker': 'script' })).status).toBe(404);
  });

  it('answers the door alone, and neither the session of the gateway nor a token in the query counts there', async () => {
    const page = await open(ada);
    expect(await (await get(page, '/queue')).json()).toEqual({ queue_running: [], queue_pending: [] });
    expect((await get(page, '/api/features')).status).toBe(200);
    for (const path of [
      '/api/tasks',
      '/api/v1/auth/me',
      '/overview',
      '/docs',
      '/openapi.json',
      '/metrics',
      '/comfy/queue',
    ])
      expect((await get(page, path)).status, path).toBe(404);
    const session = { cookie: ada.cookieHeader };
    expect((await fetch(`${page.origin}/api/queue`, { headers: session })).status).toBe(401);
    // A browser sends the cookies of the gateway to each port of its host.
    const both = { cookie: `${ada.cookieHeader}; ${page.cookie}` };
    expect((await fetch(`${page.origin}/api/queue`, { headers: both })).status).toBe(200);
    const token = page.cookie.split('=')[1];
    expect((await fetch(`${page.origin}/api/queue?access_token=${token}`)).status).toBe(401);
    expect(
      (await fetch(`${page.origin}/api/queue`, { headers: { authorization: `Bearer ${token}` } })).status,
    ).toBe(401);
  });

  it('answers a client with a token at its root, in a header or in the address', async () => {
    const { origin } = await open(ada);
    const { token } = await ada.post<{ token: string }>('/api/v1/auth/tokens', {
      name: 'plug-in',
      scopes: ['comfyui'],
    });
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${origin}/queue`, { headers })).status).toBe(200);
    expect((await fetch(`${origin}/t/${token}/api/queue`)).status).toBe(200);
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/t/${token}/ws`);
    await new Promise((resolve, reject) => socket.once('message', resolve).once('error', reject));
    socket.close();
  });

  it("has a cookie that counts nowhere else: not on the gateway's own origin, and not below /comfy", async () => {
    const { cookie } = await open(ada);
    const asSession = cookie.replace('comfyui_page', 'access_token');
    for (const sent of [cookie, asSession])
      for (const path of ['/api/tasks', '/api/v1/auth/me', '/comfy/queue'])
        expect((await gateway.fetch(path, { headers: { cookie: sent } })).status, path).toBe(401);
  });

  it("keeps the page, its files and every cookie away from the gateway's own origin", async () => {
    for (const path of [
      '/comfy',
      '/comfy/',
      '/comfy/assets/a.js',
      '/comfy/switchyard/open',
      '/comfy/extensions/a/b.js',
    ]) {
      const answer = await gateway.fetch(path, { headers: { cookie: ada.cookieHeader } });
      expect([answer.status, answer.headers.getSetCookie()], path).toEqual([401, []]);
    }
    const { token } = await ada.post<{ token: string }>('/api/v1/auth/tokens', {
      name: 'c',
      scopes: ['comfyui'],
    });
    for (const path of ['/comfy', '/comfy/assets/a.js', '/comfy/switchyard/open']) {
      const answer = await gateway.fetch(path, { headers: { authorization: `Bearer ${token}` } });
      expect([answer.status, answer.headers.getSetCookie()], path).toEqual([404, []]);
    }
  });

  it('takes a change with the cookie from its own origin alone', async () => {
    const page = await open(ada);
    const { port } = new URL(gateway.url);
    for (const origin of [gateway.url, `http://127.0.0.1:${port}`, 'null', 'https://evil.example'])
      expect((await post(page, '/api/prompt', { origin })).status, origin).toBe(403);
    expect((await post(page, '/api/prompt', {})).status).toBe(403);
    const accepted = await post(page, '/api/prompt', { origin: page.origin });
    expect(await accepted.json()).toMatchObject({ prompt_id: expect.any(String), node_errors: {} });
    await expect(socketOf(page, { origin: gateway.url })).rejects.toThrow('403');
    await expect(socketOf(page, {})).rejects.toThrow('403');
    (await socketOf(page, { origin: page.origin })).close();
  });

  it('ends with the session, its sockets too', async () => {
    const sessionOfCarol = await gateway.register('carol@example.com');
    const carol = await HttpSession.login(gateway.url, { email: 'carol@example.com', password });
    const [kept, signedOut] = [await open(sessionOfCarol), await open(carol)];
    const unused = await ticketOf(carol);
    const socket = await socketOf(signedOut, { origin: signedOut.origin });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await carol.post('/api/v1/auth/logout', {}, { origin: gateway.url });
    expect(await closed).toBe(4401);
    expect((await get(signedOut, '/api/queue')).status).toBe(401);
    expect((await fetch(unused, { redirect: 'manual' })).status).toBe(401);
    expect((await get(kept, '/api/queue')).status).toBe(200);

    await sessionOfCarol.post('/api/v1/auth/change-password', {
      current_password: password,
      new_password: 'another horse battery',
    });
    expect((await get(kept, '/')).status).toBe(401);
  });

  it('is not opened with a token, and not for a workflow of another account', async () => {
    const { token } = await ada.post<{ token: string }>('/api/v1/auth/tokens', {
      name: 'all',
      scopes: ['dispatch:read', 'dispatch:write'],
    });
    const refused = await gateway.fetch('/api/comfyui/page', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(refused.status).toBe(403);
    const { data } = await bob.post<{ data: { id: string } }>('/api/workflows', {
      name: 'His',
      workflow: graph,
    });
    await expect(ticketOf(ada, { workflowId: data.id })).rejects.toThrow('404');
  });

  it('hands over a saved workflow, drawn as the page opens it, to its owner', async () => {
    const { data } = await ada.post<{ data: { id: string } }>('/api/workflows', {
      name: 'A film: 1',
      workflow: graph,
    });
    const url = await ticketOf(ada, { workflowId: data.id });
    const answer = await fetch(url, { redirect: 'manual' });
    const location = new URL(answer.headers.get('location') ?? '', url);
    const template = location.searchParams.get('template') ?? '';
    expect(template).toBe(`A_film_1.${data.id}`);
    const path = `/api/workflow_templates/${location.searchParams.get('source')}/${template}.json`;
    const drawn = (await (await get(await open(ada), path)).json()) as Record<string, unknown>;
    expect(drawn.nodes).toMatchObject([
      { id: 1, type: 'EmptyImage', widgets_values: [16, 16, 1, 255], outputs: [{ links: [1] }] },
      { id: 2, type: 'SaveImage', widgets_values: ['page'], inputs: [{ name: 'images', link: 1 }] },
    ]);
    expect(drawn.links).toEqual([[1, 1, 0, 2, 0, 'IMAGE']]);
    expect((await get(await open(bob), path)).status).toBe(404);
  });

  it('passes on what an administrator has listed, to be read and not changed', async () => {
    const page = await open(ada);
    for (const path of ['/reference/faults', '/api/reference/faults']) {
      const answer = await get(page, path);
      expect([answer.status, await answer.json()]).toEqual([200, worker.faults.switches]);
      expect((await post(page, path, { origin: page.origin })).status).toBe(405);
    }
  });

  it('does not pass on calls of custom nodes, ways out of a folder, nor anything of ComfyUI-Manager', async () => {
    const page = await open(ada);
    for (const path of [
      '/reference/identity',
      '/pysssss/view/x.png',
      '/manager/reboot',
      '/api/v2/manager/queue/start',
      '/extensions/ComfyUI-Manager/comfyui-manager.js',
      '/extensions/%2e%2e%2fsystem_stats',
      '/assets/..%5c..%5csystem_stats',
      '/assets//x.js',
      '/internal/files',
    ])
      expect((await get(page, path)).status, path).toBe(404);
    for (const path of ['/assets/x.js', '/easyuse/x'])
      expect((await post(page, path, { origin: page.origin })).status, path).toBeGreaterThanOrEqual(404);
  });
});

describe('the page of ComfyUI behind a proxy with TLS', () => {
  /** The proxy is this machine, and the browser called it by https. */
  const proxied = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'comfy.example.com' };

  async function openAt(trusted: readonly string[], publicUrl: string | null = null) {
    const { port, release } = await holdPort();
    await release();
    const gateway = await startGateway({
      config: {
        doors: { comfyui: { port, public_url: publicUrl } },
        auth: { trusted_proxies: [...trusted] },
      },
    });
    const ada = await gateway.register('ada@example.com');
    const { data } = await ada.post<{ data: { url: string } }>('/api/comfyui/page', {});
    const { origin, pathname, search } = new URL(data.url);
    const listener = `http://127.0.0.1:${port}`;
    const opened = await fetch(listener + pathname + search, { headers: proxied, redirect: 'manual' });
    const [cookie = ''] = opened.headers.getSetCookie();
    const send = (path: string, headers: Record<string, string>, method = 'GET') =>
      fetch(listener + path, {
        method,
        headers: { ...proxied, cookie: cookie.split(';')[0] ?? '', ...headers },
      });
    return { gateway, origin, cookie, send };
  }

  it('has a cookie that no neighbouring name can set, and takes changes from its name alone', async () => {
    const name = 'https://comfy.example.com';
    const { gateway, origin, cookie, send } = await openAt(['127.0.0.1'], name);
    expect(origin).toBe(name);
    expect(cookie).toMatch(
      /^__Host-comfyui_page=[^;]+; Max-Age=\d+; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    );
    expect((await send('/api/queue', {})).status).toBe(200);
    expect((await send('/api/queue', {})).headers.get('strict-transport-security')).toContain('max-age');
    const renamed = (cookie.split(';')[0] ?? '').replace('__Host-', '');
    expect((await send('/api/queue', { cookie: renamed })).status).toBe(401);
    expect((await send('/api/free', { origin: name }, 'POST')).status).toBe(200);
    for (const other of ['http://comfy.example.com', 'https://example.com', `${name}:8443`, gateway.url])
      expect((await send('/api/free', { origin: other }, 'POST')).status, other).toBe(403);
    await gateway.stop();
  });

  it('is secure by what a trusted proxy says, and by what no other says', async () => {
    for (const [trusted, start] of [
      [['127.0.0.1'], '__Host-comfyui_page='],
      [[], 'comfyui_page='],
    ] as const) {
      const { gateway, cookie, send } = await openAt(trusted);
      expect(cookie.startsWith(start)).toBe(true);
      expect((await send('/api/queue', {})).status).toBe(200);
      await gateway.stop();
    }
  });
});

it('says how the page gets an origin when it has none', async () => {
  const gateway = await startGateway();
  const ada = await gateway.register('ada@example.com');
  expect(await ada.get('/api/comfyui/page')).toEqual({ code: 200, data: { available: false } });
  await expect(ada.post('/api/comfyui/page', {})).rejects.toThrow('doors.comfyui.port');
  await gateway.stop();
});
