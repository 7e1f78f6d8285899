import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DispatchPool, startPool } from './support/dispatch-pool.ts';

const boundary = 'XXboundaryXX';
const megabyte = 1024 * 1024;
const limit = 2 * megabyte;

describe('an upload', () => {
  let pool: DispatchPool;

  beforeAll(async () => {
    pool = await startPool({
      workers: [],
      config: { files: { max_upload: limit, quota_per_user: 8 * megabyte } },
    });
  });

  afterAll(() => pool.close());

  const part = (disposition: string, content = 'content', type = 'application/octet-stream') =>
    `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\ncontent-type: ${type}\r\n\r\n${content}\r\n`;
  const end = `--${boundary}--\r\n`;
  const filePart = (filename: string, content?: string) =>
    part(`name="file"; filename="${filename}"`, content);

  async function post(body: string | Uint8Array, contentType = `multipart/form-data; boundary=${boundary}`) {
    const answer = await fetch(new URL('/api/files/upload', pool.gateway.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${pool.user.token}`, 'content-type': contentType },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    return {
      status: answer.status,
      body: (await answer.json()) as { data: Uploaded; error: string; message: string },
    };
  }

  it('returns its id, its name and a link that can be loaded', async () => {
    const bytes = randomBytes(300_000);
    const uploaded = (await pool.user.upload('photo.bin', bytes)) as Uploaded;
    expect(uploaded).toMatchObject({
      filename: 'photo.bin',
      size: bytes.length,
      contentType: 'application/octet-stream',
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    expect(uploaded.fileId).toMatch(/^[\w-]{22}$/);
    expect(uploaded.url).toMatch(
      new RegExp(`^${pool.gateway.url}/uploads/${uploaded.fileId}/photo\\.bin\\?`),
    );
    const loaded = await fetch(uploaded.url);
    expect(Buffer.from(await loaded.arrayBuffer()).equals(bytes)).toBe(true);
    const { items } = (await pool.user.call('GET', '/api/files?limit=1')).data;
    expect(items).toEqual([
      expect.objectContaining({
        fileId: uploaded.fileId,
        filename: 'photo.bin',
        size: bytes.length,
        sha256: uploaded.sha256,
        source: 'upload',
        taskId: null,
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      }),
    ]);
  });

  it('may be empty', async () => {
    const { status, body } = await post(filePart('empty.txt', '') + end);
    expect({ status, size: body.data.size }).toEqual({ status: 200, size: 0 });
    const loaded = await fetch(body.data.url);
    expect([loaded.status, await loaded.text()]).toEqual([200, '']);
  });

  it.each([
    ['no part at all', end],
    ['no filename', part('name="file"') + end],
    ['an empty filename', filePart('') + end],
    ['a filename of dots', filePart('..') + end],
    ['another name', part('name="image"; filename="a.png"') + end],
    ['no name', part('filename="a.png"') + end],
    ['two files', filePart('a.png') + filePart('b.png') + end],
    ['a field before the file', part('name="type"', 'input') + filePart('a.png') + end],
    ['a field after the file', filePart('a.png') + part('name="type"', 'input') + end],
    ['10,000 files', filePart('a.png', 'x').repeat(10_000) + end],
    ['10,000 fields', part('name="f"', 'x').repeat(10_000) + end],
    ['no end', filePart('a.png').slice(0, -2)],
    ['another boundary', filePart('a.png').replaceAll(boundary, 'other') + end],
    ['a name of a prototype', part('name="__proto__"; filename="a.png"') + end],
    ['nothing', ''],
  ])('with %s is refused with what is expected', async (_what, body) => {
    const before = (await pool.user.call('GET', '/api/files')).data.total;
    const answer = await post(body);
    expect({ status: answer.status, error: answer.body.error }).toEqual({
      status: 422,
      error: 'file_part_invalid',
    });
    expect((await pool.user.call('GET', '/api/files')).data.total).toBe(before);
  });

  it.each([
    ['multipart/form-data', 422],
    ['multipart/mixed; boundary=x', 415],
    ['application/json', 415],
    ['text/plain', 415],
  ])('as %s is answered %i', async (contentType, status) => {
    expect((await post('{"file":{"filepath":"/etc/passwd"}}', contentType)).status).toBe(status);
  });

  it.each([71, 300])('with a boundary of %i characters is refused with 400', async (length) => {
    const long = 'b'.repeat(length);
    const body = (filePart('a.png') + end).replaceAll(boundary, long);
    for (const written of [long, `"${long}"`]) {
      const answer = await post(body, `multipart/form-data; boundary=${written}`);
      expect({ status: answer.status, error: answer.body.error }).toEqual({
        status: 400,
        error: 'body_malformed',
      });
      expect(answer.body.message).toContain(`has ${length} characters. At most 70`);
    }
  });

  it.each([
    ['../../../etc/passwd', 'passwd'],
    ['..\\..\\windows\\system32\\cmd.exe', 'cmd.exe'],
    ['/absolute/path.png', 'path.png'],
    ['a\u202egpj.exe', 'agpj.exe'],
    ['CON.txt', '_CON.txt'],
    ['x'.repeat(400), 'x'.repeat(255)],
  ])('named %s is called %s', async (given, shown) => {
    const { body } = await post(filePart(given) + end);
    expect(body.data.filename).toBe(shown);
    expect((await fetch(body.data.url)).status).toBe(200);
  });

  it('is stored once for equal content, under the gateway’s own name', async () => {
    const first = (await pool.user.upload('../../one.txt', Buffer.from('the same'))) as Uploaded;
    const second = (await pool.user.upload('two.txt', Buffer.from('the same'))) as Uploaded;
    expect(second.fileId).not.toBe(first.fileId);
    expect(second.sha256).toBe(first.sha256);
    const root = join(pool.gateway.home, 'files');
    const stored = readdirSync(root, { recursive: true }).map(String);
    const files = stored.filter((path) => statSync(join(root, path)).isFile());
    for (const path of files) expect(path).toMatch(/^[0-9a-f]{2}\/[0-9a-f]{64}$/);
    expect(files.filter((path) => path.endsWith(first.sha256))).toHaveLength(1);
  });

  it('over the limit is refused before its bytes are sent, when it says how large it is', async () => {
    const announcedBytes = 2_000 * megabyte;
    const { status, sentBytes } = await announce(announcedBytes);
    expect(status).toBe(413);
    // How much is sent before the client reads the answer depends on the machine: on buffers between sockets, and on
    // how much is discarded.
    expect(sentBytes).toBeLessThan(announcedBytes / 2);
  });

  it('over the limit is refused in the middle, when it does not say how large it is', async () => {
    const before = (await pool.user.call('GET', '/api/files')).data.total;
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(filePart('big.bin').slice(0, -2)));
      },
      pull(controller) {
        controller.enqueue(new Uint8Array(64 * 1024));
      },
    });
    const answer = await fetch(new URL('/api/files/upload', pool.gateway.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${pool.user.token}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      body,
      duplex: 'half',
    } as RequestInit).catch(() => undefined);
    // A client may see the connection close before it has read the answer.
    if (answer) {
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({ code: 413, error: 'file_too_large' });
    }
    expect((await pool.user.call('GET', '/api/files')).data.total).toBe(before);
    await pool.user.until(
      async () => readdirSync(join(pool.gateway.home, 'files', 'incoming')),
      (names) => names.length === 0,
    );
  });

  it('exactly as large as allowed is accepted, one byte more is not', async () => {
    const fits = await pool.user.upload('fits.bin', Buffer.alloc(limit, 1));
    expect(fits).toMatchObject({ size: limit });
    const { status, body } = await post(filePart('more.bin', 'x'.repeat(limit + 1)) + end);
    expect({ status, error: body.error }).toEqual({ status: 413, error: 'file_too_large' });
    expect(body.message).toContain(String(limit));
    await pool.user.call('DELETE', `/api/files/${fits.fileId}`);
  });

  it('beyond the quota is refused, also when many come at once, until something is deleted', async () => {
    const sizes = await Promise.all(
      Array.from({ length: 8 }, (_, index) => post(filePart('q.bin', String(index).repeat(limit)) + end)),
    );
    const taken = sizes.filter(({ status }) => status === 200);
    expect(taken.length).toBeGreaterThanOrEqual(2);
    expect(taken.length).toBeLessThanOrEqual(4);
    for (const { status, body } of sizes.filter((answer) => answer.status !== 200)) {
      expect({ status, error: body.error }).toEqual({ status: 413, error: 'quota_exceeded' });
    }
    for (const { body } of taken) await pool.user.call('DELETE', `/api/files/${body.data.fileId}`);
    expect((await post(filePart('q.bin', 'again') + end)).status).toBe(200);
  });

  it('that breaks off leaves nothing behind', async () => {
    const before = (await pool.user.call('GET', '/api/files')).data.total;
    await breakOff();
    await pool.user.until(
      async () => readdirSync(join(pool.gateway.home, 'files', 'incoming')),
      (names) => names.length === 0,
    );
    expect((await pool.user.call('GET', '/api/files')).data.total).toBe(before);
  });

  /** Announces this many bytes, sends them until it is stopped, and reads the answer. */
  function announce(sizeBytes: number): Promise<{ status: number; sentBytes: number }> {
    const { hostname, port } = new URL(pool.gateway.url);
    return new Promise((resolve, reject) => {
      let sentBytes = 0;
      let answer = '';
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        answer += chunk.toString('latin1');
      });
      socket.on('close', () => {
        const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1];
        if (status) resolve({ status: Number(status), sentBytes });
        else reject(new Error('There was no answer.'));
      });
      socket.write(
        `POST /api/files/upload HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${pool.user.token}\r\n` +
          `content-type: multipart/form-data; boundary=${boundary}\r\ncontent-length: ${sizeBytes}\r\n\r\n`,
      );
      socket.write(filePart('big.bin').slice(0, -2));
      const send = (): void => {
        if (socket.destroyed || sentBytes >= sizeBytes) return;
        sentBytes += 64 * 1024;
        if (socket.write(Buffer.alloc(64 * 1024))) setImmediate(send);
        else socket.once('drain', send);
      };
      setImmediate(send);
    });
  }

  async function breakOff(): Promise<void> {
    const { hostname, port } = new URL(pool.gateway.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(
      `POST /api/files/upload HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${pool.user.token}\r\n` +
        `content-type: multipart/form-data; boundary=${boundary}\r\ncontent-length: 1000000\r\n\r\n` +
        `${filePart('half.bin').slice(0, -2)}${'x'.repeat(100_000)}`,
    );
    await pool.user.until(
      async () => readdirSync(join(pool.gateway.home, 'files', 'incoming')),
      (names) => names.length === 1,
    );
    socket.destroy();
  }
});

interface Uploaded {
  fileId: string;
  filename: string;
  url: string;
  size: number;
  contentType: string;
  sha256: string;
}
