import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { App } from '../src/http/app.ts';
import { startTestServer, type TestServer, testRoute, testSchema } from './support/test-server.ts';

let server: TestServer;
let port: number;

beforeAll(async () => {
  server = await startTestServer({ routes: [routes] });
  port = await server.listen();
});
afterAll(() => server.close());

function routes(app: App): void {
  const schema = { ...testSchema, body: Type.Unknown() };
  const handler = (request: { body: unknown }) => ({ body: request.body ?? null });
  app.route({ ...testRoute, method: 'POST', url: '/api/threads', schema, handler });
  app.route({ ...testRoute, method: 'DELETE', url: '/api/threads', schema: testSchema, handler });
  app.route({
    config: { access: 'public', bodyLimit: 100 },
    method: 'POST',
    url: '/api/small',
    schema,
    handler,
  });
  app.route({
    ...testRoute,
    method: 'POST',
    url: '/api/signed',
    schema,
    preParsing: async (_request, _reply, payload) => Readable.from([await buffer(payload)]),
    handler,
  });
  app.route({
    ...testRoute,
    method: 'POST',
    url: '/api/form',
    schema: { ...schema, consumes: ['application/x-www-form-urlencoded'] },
    handler,
  });
  app.route({
    ...testRoute,
    method: 'POST',
    url: '/api/upload',
    schema: { ...testSchema, consumes: ['multipart/form-data'] },
    handler,
  });
}

async function send(payload: string | Buffer, contentType = 'application/json', url = '/api/threads') {
  const headers = contentType === '' ? {} : { 'content-type': contentType };
  const answer = await server.inject({ method: 'POST', url, headers, payload });
  return { status: answer.statusCode, body: answer.json() };
}

describe('JSON', () => {
  test('is read for every spelling of its type', async () => {
    for (const type of [
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json ;a=b',
    ])
      expect(await send('{"a":1}', type)).toEqual({ status: 200, body: { body: { a: 1 } } });
  });

  test('may be empty if the endpoint needs no body', async () => {
    const answer = await server.inject({
      method: 'DELETE',
      url: '/api/threads',
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.statusCode).toBe(200);
  });

  test('that is broken is refused with the place of the fault', async () => {
    expect(await send('{"a": abc}')).toEqual({
      status: 422,
      body: {
        detail: [
          {
            type: 'json_invalid',
            loc: ['body', 6],
            msg: 'JSON decode error at line 1, character 7 of the body',
            input: {},
            ctx: { error: 'unexpected character' },
          },
        ],
      },
    });
    expect((await send('{"a":\n[1,')).body.detail[0]).toMatchObject({
      loc: ['body', 9],
      ctx: { error: 'the body ends too early' },
    });
  });

  test('that is not UTF-8 is refused instead of being repaired', async () => {
    const { status, body } = await send(Buffer.from([0x22, 0xff, 0x22]));
    expect([status, body.detail]).toEqual([400, 'The body is not valid UTF-8.']);
    // Half a surrogate pair, written as bytes.
    expect((await send(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).status).toBe(400);
  });

  test('may nest 64 levels and no more', async () => {
    expect((await send('['.repeat(64) + ']'.repeat(64))).status).toBe(200);
    const { status, body } = await send(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`);
    expect(status).toBe(422);
    expect(body.detail[0].msg).toContain('deeper than 64 levels');
    expect((await send('['.repeat(1_000_000))).status).toBe(422);
    expect(
      (await send(JSON.stringify({ text: '[[[['.repeat(100), escaped: '\\"[['.repeat(100) }))).status,
    ).toBe(200);
  });

  test('may have 100,000 values and no more, because each costs more time than its text suggests', async () => {
    const list = (length: number) => `[${'0,'.repeat(length - 1)}0]`;
    expect((await send(list(99_000))).status).toBe(200);
    const { status, body } = await send(list(100_001));
    expect(status).toBe(422);
    expect(body.detail[0].msg).toContain('more than 100000 values');
    expect((await send(`[${'{},'.repeat(60_000)}{}]`)).status).toBe(422);
    expect((await send(JSON.stringify('[,'.repeat(200_000)))).status).toBe(200);
  });

  test.each([
    ['a value', '{"a":["x","\\u0000"]}', ['body', 'a', 1]],
    ['a key', '{"a":{"k\\u0000":1}}', ['body', 'a']],
    ['half a pair', '{"a":"\\ud83d"}', ['body', 'a']],
    ['the other half', '{"a":"\\uDE00\\uD83D"}', ['body', 'a']],
  ])('with text that cannot be stored in %s is refused', async (_where, text, loc) => {
    const { status, body } = await send(text);
    expect(status).toBe(422);
    expect(body.detail).toEqual([expect.objectContaining({ type: 'value_error', loc })]);
    expect(body.detail[0].msg).toContain('U+0000');
  });

  test('with a complete pair or an escaped backslash is accepted', async () => {
    expect((await send('{"a":"\\ud83d\\ude00 \\\\u0000"}')).body).toEqual({ body: { a: '😀 \\u0000' } });
  });

  test.each([
    '{"a":{"__proto__":{"b":1}}}',
    '{"a":{"\\u005f_proto__":1}}',
    '{"constructor":{"prototype":{}}}',
  ])('that reaches for a prototype is refused: %s', async (text) => {
    expect((await send(text)).status).toBe(422);
    expect(({} as { b?: number }).b).toBeUndefined();
  });

  test('may use the words constructor and prototype for anything else', async () => {
    const payload = { constructor: 'Ada', prototype: { constructor: [1] } };
    expect((await send(JSON.stringify(payload))).body).toEqual({ body: payload });
  });
});

describe('a client that waits to be asked for its body', () => {
  const head = (url: string, bytes: number, type = 'application/json') =>
    `POST ${url} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${bytes}\r\nExpect: 100-continue\r\n`;

  test.each(['/api/threads', '/api/signed'])('is asked for a body that is needed: %s', async (url) => {
    const answer = await raw(`${head(url, 7)}Connection: close\r\n\r\n{"a":1}`);
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 [\s\S]*\{"a":1\}/);
  });

  test('is asked on an unknown path too', async () => {
    const answer = await raw(`${head('/api/nowhere', 7)}Connection: close\r\n\r\n{"a":1}`);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 404']);
  });

  test('keeps its connection then', async () => {
    const next =
      'POST /api/threads HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 7\r\nConnection: close\r\n\r\n{"b":2}';
    const answer = await raw(`${head('/api/threads', 7)}\r\n{"a":1}${next}`);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200', 'HTTP/1.1 200']);
  });

  test.each([
    ['is too large', '/api/small', 101, 'application/json', 413],
    ['has the wrong type', '/api/small', 10, 'text/plain', 415],
  ])(
    'is answered at once when its body %s, and the connection ends',
    async (_what, url, bytes, type, status) => {
      const answer = await raw(`${head(url, bytes, type)}\r\n`);
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*\\r\\nconnection: close\\r\\n`, 'i'));
    },
  );
});

describe('the type of a body', () => {
  test.each([
    'text/plain',
    'application/xml',
    'application/json, text/plain',
    'application/json\t/x',
    'application/jsonx',
    'application /json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
    'json',
  ])('%j is not accepted as JSON', async (type) => {
    const { status, body } = await send('{"a":1}', type);
    expect(status).toBe(415);
    expect(body.detail).toContain('Send application/json.');
  });

  test('JSON is not accepted if a form or a file is expected', async () => {
    expect((await send('{"a":1}', 'application/json', '/api/form')).status).toBe(415);
    const { status, body } = await send('{"a":1}', 'application/json', '/api/upload');
    expect([status, body.detail]).toEqual([
      415,
      'A body of type application/json is not understood here. Send multipart/form-data.',
    ]);
  });

  test('a compressed body is refused', async () => {
    const answer = await server.inject({
      method: 'POST',
      url: '/api/threads',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      payload: '{}',
    });
    expect([answer.statusCode, answer.json().detail]).toEqual([
      415,
      'Bodies must not be compressed. Send application/json.',
    ]);
  });

  test('two types are refused', async () => {
    const answer = await raw(
      'POST /api/threads HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Type: text/plain\r\n' +
        'Content-Length: 2\r\nConnection: close\r\n\r\n{}',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
    expect(answer).toContain('two Content-Type headers');
  });
});

describe('a form', () => {
  const form = (text: string) => send(text, 'application/x-www-form-urlencoded', '/api/form');

  test('is decoded once', async () => {
    expect((await form('username=a%40b.c&password=a+b%2525&empty=')).body).toEqual({
      body: { username: 'a@b.c', password: 'a b%25', empty: '' },
    });
  });

  test('shows a repeated field as a list', async () => {
    expect((await form('a=1&a=2&a=3')).body).toEqual({ body: { a: ['1', '2', '3'] } });
  });

  test.each(['a=%00', 'a=%ED%A0%80', 'a=%zz', '__proto__=1', 'k%00=1', 'a=1&'.repeat(101)])(
    'is refused: %s',
    async (text) => {
      expect((await form(text)).status).toBe(422);
    },
  );
});

describe('the size of a body', () => {
  test('is limited by the shell, or by the endpoint if it has its own limit', async () => {
    expect((await send(JSON.stringify('x'.repeat(1_999_990)))).status).toBe(200);
    const { status, body } = await send(JSON.stringify('x'.repeat(2_000_000)));
    expect([status, body.detail]).toEqual([
      413,
      'The body is larger than the 2000000 bytes that this address accepts.',
    ]);
    expect((await send(JSON.stringify('x'.repeat(98)), 'application/json', '/api/small')).status).toBe(200);
    expect((await send(JSON.stringify('x'.repeat(99)), 'application/json', '/api/small')).status).toBe(413);
  });

  test('is refused before the body is sent, and the connection ends', async () => {
    const answer = await raw(
      'POST /api/threads HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toMatch(/connection: close/i);
  });

  test('is counted while it arrives if it was not announced', async () => {
    const chunk = `1000\r\n${' '.repeat(0x1000)}\r\n`;
    const answer = await raw(
      `POST /api/small HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });
});

describe('data that is not HTTP', () => {
  test('is answered with 400 and closed', async () => {
    expect(await raw('HELLO\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*"detail"/s);
  });

  test('headers beyond the limit are answered with 431', async () => {
    expect(await raw(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
  });

  test('a HEAD request that is refused as a whole is answered without a body', async () => {
    const answer = await raw(`HEAD / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer.slice(answer.indexOf('\r\n\r\n') + 4)).toBe('');
  });

  test('two statements of a body’s length are refused', async () => {
    const answer = await raw(
      'POST /api/threads HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });
});

/** Sends raw bytes and returns every byte of the response until the server closes. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => {
      text += part;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}
