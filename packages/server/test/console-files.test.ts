import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './support/test-server.ts';

let folder: ReturnType<typeof temporaryFolder>;
let server: TestServer | undefined;

beforeAll(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder.path, 'assets'));
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  write('index.html', '<!doctype html><title>Switchyard</title>');
  write('index.html.br', 'packed');
  write('secret.txt', 'not a file of the console');
  write('assets/index-1a2b.js', 'run()');
  write('assets/index-1a2b.js.gz', 'zipped');
  write('assets/inter.woff2', 'font');
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});
afterAll(() => folder.remove());

async function get(url: string, headers: Record<string, string> = {}) {
  server ??= await startTestServer({ consoleFolder: folder.path });
  return server.inject({ url, headers });
}

it.each(['/', '/tasks', '/tasks/', '/tasks/a', '/runs/file', '/runs/a/b?x=1'])(
  'answers the page at %s',
  async (url) => {
    const { statusCode, headers, body } = await get(url);
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    expect(body).toContain('<title>Switchyard</title>');
  },
);

it('lets the page load nothing but files of its own origin, and no one frame it', async () => {
  const { headers } = await get('/');
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("script-src 'self'; style-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
});

it('sends the form that the build has compressed, in the encoding that the browser takes', async () => {
  const packed = await get('/', { 'accept-encoding': 'gzip, br' });
  expect([packed.headers['content-encoding'], packed.headers.vary, packed.body]).toEqual([
    'br',
    'Accept-Encoding',
    'packed',
  ]);
  const zipped = await get('/assets/index-1a2b.js', { 'accept-encoding': 'gzip' });
  expect([zipped.headers['content-encoding'], zipped.body]).toEqual(['gzip', 'zipped']);
});

it('lets browsers keep an asset for ever, compressed or not', async () => {
  const { headers, body } = await get('/assets/inter.woff2', { 'accept-encoding': 'br' });
  expect([headers['content-type'], headers['content-encoding'], body]).toEqual([
    'font/woff2',
    undefined,
    'font',
  ]);
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
});

it.each(['/assets/..%2fsecret.txt', '/assets/.hidden', '/assets/missing.js', '/elsewhere', '/index.html.br'])(
  'does not answer a file at %s',
  async (url) => {
    const { statusCode, body } = await get(url);
    expect(statusCode).toBeGreaterThanOrEqual(400);
    expect(statusCode).toBeLessThan(500);
    expect(body).not.toContain('not a file of the console');
  },
);

it('lets no browser keep that an asset is missing, as it is while replicas are of two versions', async () => {
  const { statusCode, headers } = await get('/assets/missing.js');
  expect([statusCode, headers['cache-control']]).toEqual([404, 'no-store']);
});

const navigation = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

it('leads a browser from /mcp to the page that was there before, and no program', async () => {
  const opened = await get('/mcp', navigation);
  expect([opened.statusCode, opened.headers.location]).toEqual([302, '/mcp-servers']);
  for (const accept of ['text/event-stream', 'application/json, text/event-stream', '*/*']) {
    const { statusCode, headers } = await get('/mcp', { accept });
    expect([headers.location, statusCode]).toEqual([undefined, expect.toBeOneOf([404, 405])]);
  }
});

it.each(['/nowhere', '/nowhere.html?x=1', '/tasks/a/b', '/runs/a', '/apis', '/settings/a'])(
  'answers a browser at %s, which nothing has, with its page and 404',
  async (url) => {
    const { statusCode, headers, body } = await get(url, navigation);
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      404,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    expect(body).toContain('<title>Switchyard</title>');
    expect(headers['content-security-policy']).toContain("script-src 'self'");
  },
);

it.each(['/api', '/api/nowhere', '/v1/models', '/assets/missing.js', '/docs/nowhere/x', '/uploads/a'])(
  'answers a browser at %s, where programs call, with the error',
  async (url) => {
    const { statusCode, headers, body } = await get(url, navigation);
    expect(headers['content-type']).toMatch(/json/);
    expect([statusCode, body]).toEqual([404, expect.not.stringContaining('<title>')]);
  },
);

it.each([['application/json'], ['*/*'], [undefined]])(
  'answers a program that accepts %s with the error',
  async (accept) => {
    const { statusCode, headers } = await get('/nowhere', accept === undefined ? {} : { accept });
    expect([statusCode, headers['content-type']]).toEqual([404, expect.stringMatching(/json/)]);
  },
);

it('answers a form that is sent to an unknown address with the error', async () => {
  await get('/');
  const sent = await server?.inject({ method: 'POST', url: '/nowhere', headers: navigation });
  expect([sent?.statusCode, sent?.headers['content-type']]).toEqual([404, expect.stringMatching(/json/)]);
});

it('is not there in a gateway whose console was not built', async () => {
  server = await startTestServer({ consoleFolder: join(folder.path, 'nothing') });
  const { statusCode, headers } = await server.inject({ url: '/', headers: navigation });
  expect([statusCode, headers['content-type']]).toEqual([404, expect.stringMatching(/json/)]);
});
