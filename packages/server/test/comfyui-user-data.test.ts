import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ComfyuiCaller } from './support/comfyui-caller.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';

describe('what a page of ComfyUI stores', () => {
  let gateway: DevGateway;
  let ada: ComfyuiCaller;
  let bob: ComfyuiCaller;

  beforeAll(async () => {
    gateway = await startGateway();
    await DispatchCaller.initialize(gateway.url);
    ada = await ComfyuiCaller.byAddress(gateway.url, 'ada@example.com');
    bob = await ComfyuiCaller.byAddress(gateway.url, 'bob@example.com');
  });
  afterAll(() => gateway.stop());

  const write = (path: string, content: string | Uint8Array<ArrayBuffer>, query = '', caller = ada) =>
    caller.fetch(`/api/userdata/${encodeURIComponent(path)}${query}`, { method: 'POST', body: content });
  const read = async (path: string, caller = ada) => {
    const answer = await caller.fetch(`/userdata/${encodeURIComponent(path)}`);
    return [answer.status, await answer.text()] as const;
  };

  it('belongs to the one user that a client sees: its account', async () => {
    expect(await ada.get('/users')).toEqual({ storage: 'server', migrated: true });
    await write('mine.json', '{"a":1}');
    expect(await read('mine.json')).toEqual([200, '{"a":1}']);
    expect(await read('mine.json', bob)).toEqual([404, '404: Not Found']);
    expect((await write('mine.json', '{"b":1}', '?overwrite=false', bob)).status).toBe(200);
    expect(await read('mine.json')).toEqual([200, '{"a":1}']);
    const deleted = () => bob.fetch('/userdata/mine.json', { method: 'DELETE' });
    expect([(await deleted()).status, (await deleted()).status]).toEqual([204, 404]);
    expect(await read('mine.json')).toEqual([200, '{"a":1}']);
  });

  it('are settings, one by one and all at once, also under the type of a text', async () => {
    expect(await bob.get('/settings')).toEqual({});
    expect(await bob.get('/settings/Comfy.ColorPalette')).toBeNull();
    const one = (id: string, value: unknown, type: string) =>
      bob.fetch(`/settings/${id}`, {
        method: 'POST',
        body: JSON.stringify(value),
        headers: { 'content-type': type },
      });
    const stored = await one('Comfy.ColorPalette', 'dark', 'text/plain;charset=UTF-8');
    expect([stored.status, await stored.text()]).toEqual([200, '']);
    await one('Comfy.Sizes', { a: [1] }, 'application/json');
    expect((await bob.post('/settings', { 'Comfy.Off': false, 'Comfy.Sizes': 5 })).status).toBe(200);
    const all = { 'Comfy.ColorPalette': 'dark', 'Comfy.Sizes': 5, 'Comfy.Off': false };
    expect(await bob.get('/api/settings')).toEqual(all);
    expect(await bob.get('/settings/Comfy.Off')).toBe(false);
    expect(JSON.parse((await read('comfy.settings.json', bob))[1])).toEqual(all);
    expect(await ada.get('/settings')).toEqual({});
    for (const [path, body] of [
      ['/settings', [1]],
      ['/settings', 5],
      ['/settings/__proto__', 5],
    ] as const)
      expect((await bob.post(path, body)).status).toBe(400);
    expect((await bob.fetch('/settings/x', { method: 'POST' })).status).toBe(400);
    await write('comfy.settings.json', 'not JSON', '', bob);
    expect(await bob.get('/settings')).toEqual({});
  });

  it('are settings of which none is lost when they are set at the same time', async () => {
    const carol = await ComfyuiCaller.byAddress(gateway.url, 'carol@example.com');
    const ids = Array.from({ length: 12 }, (_, index) => `s${index}`);
    const statuses = await Promise.all(
      ids.map(async (id) => (await carol.post(`/settings/${id}`, id)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(Object.keys(await carol.get('/settings')).toSorted()).toEqual(ids.toSorted());
  });

  it('are files in folders, which are listed in the ways of ComfyUI', async () => {
    const dora = await ComfyuiCaller.byAddress(gateway.url, 'dora@example.com');
    const missing = await dora.fetch('/userdata?dir=workflows&recurse=&split=');
    expect([missing.status, missing.headers.get('content-type')]).toEqual([
      404,
      expect.stringContaining('text/plain'),
    ]);
    expect((await dora.fetch('/userdata')).status).toBe(400);
    const written = await write('workflows/a.json', '{}', '', dora);
    expect([written.status, await written.json()]).toEqual([200, 'workflows/a.json']);
    const info = await (await write('workflows/sub/b c.json', '{"é":1}', '?full_info=true', dora)).json();
    expect(info).toEqual({
      path: 'workflows/sub/b c.json',
      size: 8,
      modified: expect.any(Number),
      created: expect.any(Number),
    });
    await write('workflows0.json', '{}', '', dora);

    expect(await dora.get('/userdata?dir=workflows')).toEqual(['a.json']);
    expect(await dora.get('/userdata?dir=workflows/&recurse=true')).toEqual(['a.json', 'sub/b c.json']);
    expect(await dora.get('/userdata?dir=workflows&recurse=true&split=true')).toEqual([
      ['a.json', 'a.json'],
      ['sub/b c.json', 'sub', 'b c.json'],
    ]);
    expect(await dora.get('/userdata?dir=workflows/sub&full_info=true')).toEqual([
      { ...(info as object), path: 'b c.json' },
    ]);
    expect(await dora.get('/userdata?dir=.')).toEqual(['workflows0.json']);
    const kinds = (await dora.get('/v2/userdata?path=workflows')) as Record<string, unknown>[];
    expect(kinds.map(({ name, path, type }) => [name, path, type])).toEqual([
      ['sub', 'workflows/sub', 'directory'],
      ['a.json', 'workflows/a.json', 'file'],
      ['b c.json', 'workflows/sub/b c.json', 'file'],
    ]);
    expect((await dora.get('/v2/userdata')).length).toBe(5);
    expect((await dora.fetch('/v2/userdata?path=none')).status).toBe(404);
  });

  it('is replaced or not, as the client says, and moves', async () => {
    await write('w/one.json', '1');
    expect((await write('w/one.json', '2', '?overwrite=false')).status).toBe(409);
    expect((await write('w/one.json', '3', '?overwrite=true')).status).toBe(200);
    await write('w/two.json', '4');
    const move = (from: string, to: string, query = '') =>
      ada.fetch(`/userdata/${encodeURIComponent(from)}/move/${encodeURIComponent(to)}${query}`, {
        method: 'POST',
      });
    expect((await move('w/one.json', 'w/two.json', '?overwrite=false')).status).toBe(409);
    const moved = await move('w/one.json', 'w/two.json', '?full_info=true');
    expect([moved.status, await moved.json()]).toEqual([
      200,
      expect.objectContaining({ path: 'w/two.json' }),
    ]);
    expect(await read('w/one.json')).toEqual([404, '404: Not Found']);
    expect(await read('w/two.json')).toEqual([200, '3']);
    expect((await move('w/one.json', 'w/x.json')).status).toBe(404);
    expect((await move('w/two.json', 'w/two.json')).status).toBe(200);
    expect((await move('w/two.json', '../x.json')).status).toBe(403);
  });

  it.each(['../a.json', '/etc/passwd', 'a/../../b', 'C:\\x', 'a\u0001', 'x'.repeat(401), 'a/', '..'])(
    'has no path that leads out of it or cannot be one (%j)',
    async (path) => {
      const { status } = await write(path, 'x');
      expect([400, 403, 404, 414]).toContain(status);
      expect((await ada.fetch(`/userdata?dir=${encodeURIComponent(`../${path}`)}`)).status).toBe(403);
    },
  );

  it('is text of a size that has a limit, and there is a limit for all of it', async () => {
    expect((await write('a.bin', new Uint8Array([0xff, 0xfe]))).status).toBe(400);
    expect((await write('nul', 'a\0b')).status).toBe(400);
    const eve = await ComfyuiCaller.byAddress(gateway.url, 'eve@example.com');
    const most = 'x'.repeat(4 * 1024 * 1024);
    expect((await write('large', `${most}x`, '', eve)).status).toBe(413);
    const statuses: number[] = [];
    for (let index = 0; index < 17; index += 1)
      statuses.push((await write(`file-${index}`, most, '', eve)).status);
    expect(statuses.slice(0, 16)).toEqual(Array(16).fill(200));
    expect(statuses[16]).toBe(413);
    expect((await write('file-0', 'small', '', eve)).status).toBe(200);
    expect((await write('file-16', 'small', '', eve)).status).toBe(200);
  });

  it('is shown as a text, whatever it holds', async () => {
    await write('user.css', 'a{}');
    await write('page.html', '<script>alert(1)</script>');
    const typeOf = async (path: string) => (await ada.fetch(`/userdata/${path}`)).headers.get('content-type');
    expect(await typeOf('user.css')).toContain('text/');
    expect(await typeOf('page.html')).toContain('text/plain');
    expect((await ada.fetch('/userdata/page.html')).headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('goes with its account', async () => {
    const root = await HttpSession.login(gateway.url, {
      email: 'admin@example.com',
      password: 'correct horse battery',
    });
    const session = await HttpSession.register(gateway.url, {
      email: 'fay@example.com',
      password: 'correct horse battery',
    });
    const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', {
      name: 'x',
      scopes: ['comfyui'],
    });
    const fay = new ComfyuiCaller(`${gateway.url}/comfy/t/${token}`, token, {});
    expect((await write('a.json', '{}', '', fay)).status).toBe(200);
    const { id } = await session.get<{ id: string }>('/api/v1/auth/me');
    const documents = () => gateway.context.dispatch?.documents.list(id, '');
    expect(await documents()).toHaveLength(1);
    await root.delete(`/api/v1/users/${id}`);
    expect(await documents()).toEqual([]);
  });
});
