import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import type { App } from '../src/http/app.ts';
import { AppError } from '../src/lib/app-error.ts';
import { startTestServer, type TestServer, testRoute, testSchema } from './support/test-server.ts';

let server: TestServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> {
  server = await startTestServer({ routes: [routes], ...options });
  return server;
}

const list = JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ id, status: 'pending' })));

function routes(app: App): void {
  const add = (url: string, type: string, payload: () => string | Buffer | Readable): void => {
    const handler = (_request: FastifyRequest, reply: FastifyReply) => reply.type(type).send(payload());
    app.route({ ...testRoute, method: 'GET', url, schema: testSchema, handler });
  };
  add('/api/list', 'application/json', () => list);
  add('/api/langgraph/threads', 'application/json', () => list);
  add('/api/short', 'application/json', () => '{"a":1}');
  add('/api/picture', 'image/png', () => Buffer.alloc(5_000));
  add('/api/events', 'text/event-stream', () => Readable.from([`data: ${list}\n\n`]));
}

/** A file that is gone when it is read, and one of which no byte was made yet. */
function fileRoutes(app: App): void {
  const headers = {
    'cache-control': 'public, max-age=31536000, immutable',
    etag: '"a"',
    'accept-ranges': 'bytes',
    'content-range': 'bytes 0-9/10',
    'content-length': '10',
    'content-disposition': 'attachment',
  };
  const add = (url: string, handler: (reply: FastifyReply) => FastifyReply): void => {
    app.route({
      ...testRoute,
      method: 'GET',
      url,
      schema: testSchema,
      handler: (_request, reply) => handler(reply.headers(headers)),
    });
  };
  for (const code of ['file_not_found', 'rate_limited', 'internal_error', 'overloaded'] as const)
    add(`/uploads/${code}`, () => {
      throw new AppError(code);
    });
  add('/uploads/unread', (reply) =>
    reply.send(
      new Readable({
        read: () => {
          reads += 1;
        },
      }),
    ),
  );
}

let reads = 0;

describe('a file', () => {
  test.each(['file_not_found', 'rate_limited', 'internal_error', 'overloaded'])(
    'that cannot be sent leaves nothing of itself with the error, which no cache keeps: %s',
    async (code) => {
      const app = await start({ routes: [fileRoutes] });
      const { headers, body } = await app.inject(`/uploads/${code}`);
      expect(JSON.parse(body)).toHaveProperty('error');
      expect(headers['cache-control']).toBe('no-store');
      expect(Number(headers['content-length'])).toBe(body.length);
      expect(Object.keys(headers)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(etag|accept-ranges|content-(range|disposition))$/)]),
      );
    },
  );

  test('is not read for HEAD, which has its headers', async () => {
    const app = await start({ routes: [fileRoutes] });
    const { statusCode, headers, body } = await app.inject({ method: 'HEAD', url: '/uploads/unread' });
    expect([statusCode, headers['content-length'], headers.etag, body]).toEqual([200, '10', '"a"', '']);
    expect(reads).toBe(0);
  });
});

const requestId = '0b7d8f0a-5d0c-4c6e-9c8b-0f6f1d2a3b4c';

describe('the request id', () => {
  test('is a UUID of our own, even if something else was sent', async () => {
    const app = await start();
    const seen = new Set<unknown>();
    for (const given of [
      undefined,
      '1',
      `${requestId}\u0020x`,
      'x'.repeat(36),
      `${requestId}, ${requestId}`,
    ]) {
      const answer = await app.inject({ url: '/api/short', headers: given ? { 'x-request-id': given } : {} });
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(answer.headers['x-request-id']).not.toBe(given);
      seen.add(answer.headers['x-request-id']);
    }
    expect(seen.size).toBe(5);
  });

  test('is the caller’s id when that is a UUID', async () => {
    const app = await start();
    const answer = await app.inject({
      url: '/api/short',
      headers: { 'x-request-id': requestId.toUpperCase() },
    });
    expect(answer.headers['x-request-id']).toBe(requestId);
  });
});

describe('every response', () => {
  test.each(['/api/short', '/api/nothing', '/api/%ff', '/healthz'])('to %s is guarded', async (url) => {
    const { headers } = await (await start()).inject(url);
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect(headers).not.toHaveProperty('x-switchyard-version');
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('strict-transport-security');
  });

  test('asks for https when clients connect by https', async () => {
    const { headers } = await (await start({ isHttps: true })).inject('/api/short');
    expect(headers['strict-transport-security']).toBe('max-age=63072000');
  });
});

describe('cross-origin access', () => {
  const origin = 'http://localhost:5173';
  const preflight = {
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'x-csrf-token, a',
  };

  test('is granted to a listed origin, with credentials', async () => {
    const app = await start({ corsOrigins: [origin] });
    const { headers } = await app.inject({ url: '/api/short', headers: { origin } });
    expect(headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers':
        'Content-Location, Location, X-Pagination-Total, X-Pagination-Next, X-Search-Partial, X-Total-Is-Minimum, ETag, Retry-After, X-Request-Id, Link, X-Ignored-Fields, Deprecation, Sunset',
      vary: 'Origin',
    });
  });

  test('reaches errors too, so that a page can read them', async () => {
    const app = await start({ corsOrigins: [origin] });
    const { statusCode, headers } = await app.inject({ url: '/api/nothing', headers: { origin } });
    expect([statusCode, headers['access-control-allow-origin']]).toEqual([404, origin]);
  });

  test.each([
    'http://localhost:5174',
    'https://localhost:5173',
    'null',
    'http://localhost:5173.evil.example',
  ])('is not granted to %s', async (other) => {
    const app = await start({ corsOrigins: [origin] });
    const { headers } = await app.inject({ url: '/api/short', headers: { origin: other } });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers.vary).toBe('Origin');
  });

  test('is granted to no one when the list allows every origin', async () => {
    const app = await start({ corsOrigins: ['*'] });
    const { headers } = await app.inject({ url: '/api/short', headers: { origin } });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('is checked first and needs no session', async () => {
    const denyAll = (app: App): void => {
      app.addHook('onRequest', (_request, reply) => reply.code(401).send());
    };
    const app = await start({ corsOrigins: [origin], guard: denyAll });
    const answer = await app.inject({
      method: 'OPTIONS',
      url: '/api/any',
      headers: { origin, ...preflight },
    });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': 'x-csrf-token, a',
    });
    const stranger = { origin: 'http://evil.example', ...preflight };
    const refused = await app.inject({ method: 'OPTIONS', url: '/api/any', headers: stranger });
    expect(refused.statusCode).toBe(401);
    expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('compression', () => {
  async function ask(url: string, accepted: string) {
    const app = server ?? (await start());
    return app.inject({ url, headers: { 'accept-encoding': accepted } });
  }

  test('is brotli, or else gzip, for long texts', async () => {
    const brotli = await ask('/api/list', 'gzip, deflate, br');
    expect(brotli.headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(list);
    expect(brotli.headers['content-length']).toBe(String(brotli.rawPayload.length));
    const gzip = await ask('/api/list', 'gzip;q=0.5, br;q=0');
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(list);
  });

  test('is left out where LangGraph clients call with a credential in a header, since some hand an unpacked body on as packed', async () => {
    const app = server ?? (await start());
    const ask = (url: string, headers: Record<string, string>) =>
      app.inject({ url, headers: { 'accept-encoding': 'gzip, br', ...headers } });
    for (const credential of [{ 'x-api-key': 'sy_pat_a' }, { authorization: 'Bearer sy_pat_a' }]) {
      const { headers, body } = await ask('/api/langgraph/threads', credential);
      expect([headers['content-encoding'], body]).toEqual([undefined, list]);
      expect((await ask('/api/list', credential)).headers['content-encoding']).toBe('br');
    }
    const page = await ask('/api/langgraph/threads', { cookie: 'access_token=a' });
    expect(page.headers['content-encoding']).toBe('br');
  });

  test.each([
    ['/api/list', 'identity'],
    ['/api/list', 'gzip;q=0, br;q=0.0'],
    ['/api/short', 'br'],
    ['/api/picture', 'br'],
    ['/api/events', 'br'],
  ])('leaves %s alone for %s', async (url, accepted) => {
    const answer = await ask(url, accepted);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).not.toHaveProperty('content-encoding');
  });
});
