import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';

describe('a stored file', () => {
  let pool: DispatchPool;
  let file: { fileId: string; filename: string; url: string };
  const content = '0123456789';

  beforeAll(async () => {
    pool = await startPool({ workers: [{ outputBytes: 2_000 }] });
    file = await pool.user.upload('digits.txt', Buffer.from(content));
  });

  afterAll(() => pool.close());

  const load = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers });
  const bare = () => new URL(`/uploads/${file.fileId}/digits.txt`, pool.gateway.url).href;

  it('is loaded by its link without credentials, and never runs in a browser', async () => {
    const answer = await load(file.url);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(content);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '10',
      'content-disposition': expect.stringMatching(/^inline; filename="digits\.txt"/),
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
    });
  });

  it.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=5-99', '56789', 'bytes 5-9/10'],
  ])('in part: %s', async (range, part, contentRange) => {
    const answer = await load(file.url, { range });
    expect([answer.status, await answer.text()]).toEqual([206, part]);
    expect(answer.headers.get('content-range')).toBe(contentRange);
    expect(answer.headers.get('content-length')).toBe(String(part.length));
  });

  it('has no range beyond its end', async () => {
    const answer = await load(file.url, { range: 'bytes=10-' });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */10']);
  });

  it('is not sent again to a client that has it', async () => {
    const etag = (await load(file.url)).headers.get('etag') ?? '';
    const answer = await load(file.url, { 'if-none-match': etag });
    expect([answer.status, await answer.text()]).toEqual([304, '']);
    expect((await load(file.url, { 'if-none-match': '"other"' })).status).toBe(200);
    expect((await load(file.url, { range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200);
  });

  it('needs its owner’s credentials without a signature', async () => {
    expect((await load(bare())).status).toBe(401);
    const own = await load(bare(), { authorization: `Bearer ${pool.user.token}` });
    expect(await own.text()).toBe(content);
  });

  it.each([
    ['another signature', (url: URL) => url.searchParams.set('sig', 'A'.repeat(43))],
    ['a later expiry', (url: URL) => url.searchParams.set('expires', '99999999999')],
    ['no expiry', (url: URL) => url.searchParams.delete('expires')],
    ['an expiry of letters', (url: URL) => url.searchParams.set('expires', 'never')],
    ['an earlier expiry', (url: URL) => url.searchParams.set('expires', '1')],
  ])('is not opened by a link with %s, which says that it is not valid', async (_what, change) => {
    const url = new URL(file.url);
    change(url);
    const answer = await load(url.href);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: 403, error: 'link_expired', data: null });
  });

  it('is not found under another folder name, or when it is gone', async () => {
    const gone = await pool.user.upload('gone.txt', Buffer.from('gone'));
    expect((await pool.user.request('DELETE', `/api/files/${gone.fileId}`)).body).toEqual({
      code: 200,
      data: { fileId: gone.fileId },
    });
    expect((await load(gone.url)).status).toBe(404);
    expect((await pool.user.request('DELETE', `/api/files/${gone.fileId}`)).status).toBe(404);
    for (const path of [
      '/uploads/../../etc/passwd',
      '/uploads/%2e%2e/passwd',
      `/uploads/${file.fileId}/..%2f..%2fx`,
    ]) {
      expect((await load(new URL(path, pool.gateway.url).href)).status).not.toBe(200);
    }
  });

  it.each([
    ['page.html', '<!doctype html><script>alert(1)</script>', 'text/html; charset=utf-8'],
    ['picture.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>', 'image/svg+xml'],
    ['photo.png', '<html><body onload=alert(1)>', 'text/html; charset=utf-8'],
    ['code.js', 'alert(1)', 'text/javascript; charset=utf-8'],
    ['doc.xml', '<?xml version="1.0"?><a/>', 'application/xml'],
  ])('that could run is sent as an attachment: %s', async (name, text, contentType) => {
    const { url } = await pool.user.upload(name, Buffer.from(text));
    const answer = await load(url);
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(answer.headers.get('content-type')).toBe(contentType);
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
  });

  it('stays while a waiting or running task needs it', async () => {
    const needed = await pool.user.upload('needed.png', Buffer.from('needed'));
    const [worker] = pool.workers;
    if (worker) worker.behaviour = { ...worker.behaviour, runMs: 60_000 };
    const { id } = await pool.user.submit({
      workflow: { ...anyWorkflow, '3': { class_type: 'LoadImage', inputs: { image: 'x' } } },
      params: { '3.image': { $file: needed.fileId } },
    });
    const refused = await pool.user.request('DELETE', `/api/files/${needed.fileId}`);
    expect(refused).toMatchObject({ status: 409, body: { code: 409, error: 'file_in_use', data: null } });
    await pool.user.until(
      () => pool.user.task(id),
      ({ phase }) => phase === 'executing',
    );
    expect((await pool.user.request('DELETE', `/api/files/${needed.fileId}`)).status).toBe(409);
    await pool.user.call('DELETE', `/api/tasks/${id}`);
    await pool.user.ended(id);
    if (worker) worker.behaviour = { ...worker.behaviour, runMs: 0 };
    expect((await pool.user.request('DELETE', `/api/files/${needed.fileId}`)).status).toBe(200);
  });

  it('made by a task names the task, and can be listed by it', async () => {
    const task = await pool.user.submit({ workflow: anyWorkflow });
    const ended = await pool.user.ended(task.id);
    const listed = (await pool.user.call('GET', `/api/files?taskId=${task.id}`)).data;
    expect(listed).toMatchObject({ total: 1, items: [{ source: 'output', taskId: task.id, size: 2_000 }] });
    expect(ended.result.outputs[0].fileId).toBe(listed.items[0].fileId);
    expect((await load(ended.result.files[0])).status).toBe(200);
    expect((await pool.user.call('GET', '/api/files?source=output')).data.total).toBe(1);
    const all = (await pool.user.call('GET', '/api/files?limit=2&offset=1')).data;
    expect(all.items).toHaveLength(2);
    expect(all.total).toBeGreaterThan(2);
    expect((await pool.user.request('GET', '/api/files?source=somewhere&limit=0')).body.details).toHaveLength(
      2,
    );
  });

  it('has a link to the address where the caller reached the gateway', async () => {
    const { items } = (
      await pool.user.request('GET', '/api/files?limit=1', {
        headers: { 'x-forwarded-host': 'evil.example' },
      })
    ).body.data;
    expect(items[0].url).toMatch(new RegExp(`^${pool.gateway.url}/uploads/`));
  });
});
