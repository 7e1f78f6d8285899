import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type S3Server, startS3Server } from '@switchyard/dev-env/s3-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DispatchPool, startPool } from './support/dispatch-pool.ts';

interface Uploaded {
  fileId: string;
  url: string;
}

describe('files in a bucket', () => {
  let server: S3Server;
  let pool: DispatchPool;
  let redirecting: DispatchPool;

  beforeAll(async () => {
    server = await startS3Server();
    const poolWith = (s3: object) =>
      startPool({
        config: {
          files: {
            store: 's3',
            s3: {
              endpoint: server.endpoint,
              bucket: server.bucket,
              access_key_id: server.accessKeyId,
              secret_access_key: server.secretAccessKey,
              ...s3,
            },
          },
        },
      });
    pool = await poolWith({ prefix: 'one/' });
    redirecting = await poolWith({ prefix: 'two/', redirect: true });
  });
  afterAll(async () => {
    await pool.close();
    await redirecting.close();
    await server.stop();
  });

  const upload = async (to: DispatchPool, name: string, bytes: Buffer) =>
    (await to.user.upload(name, bytes)) as Uploaded;

  it('have the same addresses, ranges and checks as on a disk', async () => {
    const bytes = randomBytes(300_000);
    const { url, fileId } = await upload(pool, 'photo.bin', bytes);
    expect(url).toMatch(new RegExp(`^${pool.gateway.url}/uploads/${fileId}/photo\\.bin\\?`));
    const whole = await fetch(url, { redirect: 'manual' });
    expect(whole.status).toBe(200);
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    const part = await fetch(url, { headers: { range: 'bytes=10-19' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 10-19/300000']);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))).toBe(true);
  });

  it('are read by links of the store where that is allowed, an active type as an attachment', async () => {
    const { url } = await upload(redirecting, 'page.html', Buffer.from('<script>alert(1)</script>'));
    const answer = await fetch(url, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([302, 'no-store']);
    const link = new URL(answer.headers.get('location') ?? '');
    expect(link.origin).toBe(server.endpoint);
    expect(Number(link.searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(300);
    const loaded = await fetch(link);
    expect(loaded.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(loaded.headers.get('content-disposition')).toMatch(/^attachment; filename="page\.html"/);
    expect(await loaded.text()).toBe('<script>alert(1)</script>');
  });

  it.each([
    ['a page of the gateway asks', { 'sec-fetch-site': 'same-origin' }],
    ['a browser sends its cookies', { cookie: 'theme=dark' }],
  ])('are sent by the gateway itself when %s', async (_, headers) => {
    const { url } = await upload(redirecting, 'note.txt', Buffer.from('hello'));
    const answer = await fetch(url, { redirect: 'manual', headers });
    expect([answer.status, await answer.text()]).toEqual([200, 'hello']);
  });

  it('are refused without a valid signature, and no link of the store is made', async () => {
    const { url } = await upload(redirecting, 'note.txt', Buffer.from('hello'));
    const forged = await fetch(url.replace(/sig=../, 'sig=xx'), { redirect: 'manual' });
    expect([forged.status, forged.headers.get('location')]).toEqual([403, null]);
  });

  it('that the bucket has lost are answered 404', async () => {
    const { url } = await upload(pool, 'lost.txt', Buffer.from(`lost ${randomBytes(8).toString('hex')}`));
    rmSync(join(server.folder, 'one', 'content'), { recursive: true });
    expect((await fetch(url)).status).toBe(404);
  });
});
