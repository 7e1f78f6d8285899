import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { fastify, type LightMyRequestResponse } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import type { App } from '../app.ts';
import { addCompression, compressWell } from '../shell/compression.ts';
import { docsRoutes } from './docs-routes.ts';
import { openApiDocument } from './openapi.ts';
import type { Compress } from './packed-page.ts';

const apps: App[] = [];

afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

type Ask = (url: string, headers?: Record<string, string>) => Promise<LightMyRequestResponse>;

function served(compress: Compress): Ask {
  const app: App = fastify();
  addCompression(app);
  docsRoutes(() => openApiDocument([], { version: '1.2.3' }), { compress })(app);
  apps.push(app);
  return async (url, headers = {}) => app.inject({ url, headers });
}

test.each(['/openapi.json', '/docs', '/docs/docs.css'])(
  '%s is compressed once per encoding, however many clients ask for it at once and later',
  async (url) => {
    const packings: string[] = [];
    const get = served((encoding, text) => {
      packings.push(encoding);
      return compressWell(encoding, text);
    });
    const ask = (encoding: string) => get(url, { 'accept-encoding': encoding });
    await Promise.all(Array.from({ length: 10 }, () => ask('br')));
    const [br, gzip, plain] = [await ask('br'), await ask('gzip'), await ask('identity')];
    await ask('gzip');
    expect(packings).toEqual(['br', 'gzip']);
    expect([br.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual(['br', 'gzip']);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(brotliDecompressSync(br.rawPayload).toString()).toBe(plain.body);
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(plain.body);
    for (const { headers } of [br, gzip, plain]) expect(headers.vary).toBe('Accept-Encoding');
    expect(new Set([br, gzip, plain].map(({ headers }) => headers.etag)).size).toBe(1);
  },
);

test('a failed compression is tried again for the next request', async () => {
  let attempts = 0;
  const get = served((encoding, text) => {
    attempts += 1;
    return attempts === 1 ? Promise.reject(new Error('out of memory')) : compressWell(encoding, text);
  });
  const ask = () => get('/openapi.json', { 'accept-encoding': 'br' });
  expect((await ask()).statusCode).toBe(500);
  expect((await ask()).statusCode).toBe(200);
});

test('a client that already has the page gets its response without compression', async () => {
  const get = served(() => Promise.reject(new Error('must not be packed')));
  const { headers } = await get('/docs');
  const again = await get('/docs', { 'if-none-match': String(headers.etag), 'accept-encoding': 'br' });
  expect([again.statusCode, again.body]).toEqual([304, '']);
});
