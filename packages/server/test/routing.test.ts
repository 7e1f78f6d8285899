import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { App } from '../src/http/app.ts';
import { AppError } from '../src/lib/app-error.ts';
import { startTestServer, type TestServer, testRoute, testSchema } from './support/test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ routes: [routes], guard: denyWithoutKey });
});
afterAll(() => server.close());

function routes(app: App): void {
  const schema = { ...testSchema, params: Type.Object({ id: Type.String() }) };
  const handler = (request: { params: unknown }) => request.params;
  app.route({ ...testRoute, method: 'GET', url: '/api/threads/:id', schema, handler });
  app.route({ ...testRoute, method: 'DELETE', url: '/api/threads/:id', schema, handler });
  app.route({ ...testRoute, method: 'GET', url: '/api/tasks/:id', schema, handler });
  app.route({ ...testRoute, method: 'GET', url: '/api/threads/:id/files/*', schema, handler });
}

/** Stands in for the guard: it also runs for paths without a route. */
function denyWithoutKey(app: App): void {
  app.addHook('onRequest', (request, _reply, done) => {
    done(request.headers['x-api-key'] === undefined ? new AppError('not_authenticated') : undefined);
  });
}

async function ask(
  method: 'GET' | 'POST' | 'DELETE' | 'PATCH',
  url: string,
  headers: object = { 'x-api-key': 'k' },
) {
  const answer = await server.inject({ method, url, headers: { ...headers } });
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
}

describe('an unknown path', () => {
  test('is 404 for a caller who is signed in', async () => {
    const conversation = await ask('GET', '/api/unknown');
    expect([conversation.status, conversation.body]).toEqual([404, { detail: 'Not Found' }]);
    const dispatch = await ask('GET', '/api/tasks/1/nothing');
    expect(dispatch.body).toMatchObject({ code: 404, error: 'route_not_found', message: 'Not Found' });
  });

  test('is handled by the guard first: a stranger learns nothing', async () => {
    for (const url of ['/api/unknown', '/api/threads/1']) {
      expect((await ask('POST', url, {})).status).toBe(401);
      expect((await ask('GET', url, {})).status).toBe(401);
    }
  });
});

test('an odd spelling of a path is answered in the shape of the area that it leads to', async () => {
  const { status, body } = await ask('GET', '/api/%74asks/1', {});
  expect([status, body.code, body.error]).toEqual([401, 401, 'not_authenticated']);
});

test('a wrong method is 405 and names the right ones', async () => {
  const { status, body, headers } = await ask('PATCH', '/api/threads/1?x=1');
  expect([status, body]).toEqual([405, { detail: 'Method Not Allowed' }]);
  expect(headers.allow).toBe('DELETE, GET, HEAD');
  expect((await ask('DELETE', '/api/tasks/1/')).headers.allow).toBe('GET, HEAD');
});

test('a path that lacks its file name is unknown, whatever the method', async () => {
  for (const method of ['GET', 'DELETE'] as const) {
    expect((await ask(method, '/api/threads/1/files/')).status).toBe(404);
  }
  expect((await ask('DELETE', '/api/threads/1/files/a/b')).headers.allow).toBe('GET, HEAD');
});

test('a slash at the end changes nothing', async () => {
  expect((await ask('GET', '/api/threads/1/')).body).toEqual({ id: '1' });
});

describe('the text of an address', () => {
  test('is decoded once', async () => {
    expect((await ask('GET', '/api/threads/a%2520b')).body).toEqual({ id: 'a%20b' });
  });

  test.each([
    ['/api/threads/a%00b', ['path']],
    ['/api/threads/1?q=a%00', ['query', 'q']],
    ['/api/threads/1?q%00=a', ['query', 'q%00']],
    ['/api/threads/1?ok=%20&q=%ED%A0%80', ['query', 'q']],
    ['/api/threads/1?q=%zz', ['query', 'q']],
  ])('%s is refused', async (url, loc) => {
    const { status, body } = await ask('GET', url);
    expect(status).toBe(422);
    expect(body.detail).toEqual([expect.objectContaining({ type: 'value_error', loc })]);
  });

  test('with an escape that is not UTF-8 in the path is refused, with the headers of every response', async () => {
    const { status, body, headers } = await ask('GET', '/api/tasks/%ED%A0%80');
    expect([status, body.error]).toEqual([422, 'validation_failed']);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-request-id': body.requestId });
  });

  test('has a limit for each part', async () => {
    expect((await ask('GET', `/api/threads/${'a'.repeat(512)}`)).status).toBe(200);
    const { status, body } = await ask('GET', `/api/threads/${'a'.repeat(513)}`);
    expect([status, body.detail[0].msg]).toEqual([422, 'Value error, a part of the path is too long']);
  });
});
