import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { App } from '../src/http/app.ts';
import { AppError } from '../src/lib/app-error.ts';
import { startTestServer, type TestServer, testRoute, testSchema } from './support/test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ routes: [failing('/api/tasks'), failing('/api/threads')] });
});
afterAll(() => server.close());

/** Throws the error that the query names. */
function failing(url: string) {
  return (app: App) => {
    app.route({
      ...testRoute,
      method: 'GET',
      url,
      schema: { ...testSchema, querystring: Type.Object({ what: Type.String() }) },
      handler: ({ query }) => {
        switch (query.what) {
          case 'auth':
            throw new AppError('token_expired');
          case 'wire_code':
            throw new AppError('current_password_wrong');
          case 'details':
            throw new AppError('invalid_workflow', { details: { nodes: ['3'] } });
          case 'busy':
            throw new AppError('queue_full', { retryAfterSeconds: 2.2 });
          case 'unavailable':
            throw new AppError('database_unavailable');
          case 'disk':
            throw Object.assign(new Error('ENOSPC: write'), { code: 'ENOSPC' });
          case 'internal':
            throw new AppError('internal_error', { message: 'the secret is 42' });
          case 'unexpected':
            throw new TypeError('cannot read /srv/private');
          default:
            throw new AppError('task_not_found');
        }
      },
    });
  };
}

async function fail(path: string) {
  const answer = await server.inject(path);
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
}

describe('the dispatch area', () => {
  test('returns status, sentence, code and request id', async () => {
    const { status, body, headers } = await fail('/api/tasks?what=missing');
    expect(status).toBe(404);
    expect(body).toEqual({
      code: 404,
      message: expect.stringContaining('No such task'),
      error: 'task_not_found',
      data: null,
      requestId: headers['x-request-id'],
    });
  });

  test('adds the details of the thrower', async () => {
    const { status, body } = await fail('/api/tasks?what=details');
    expect([status, body.details]).toEqual([422, { nodes: ['3'] }]);
  });

  test('uses the code of the contract when that has two statuses', async () => {
    const { status, body } = await fail('/api/tasks?what=wire_code');
    expect([status, body.error]).toEqual([400, 'invalid_credentials']);
  });
});

describe('the conversation area', () => {
  test('returns an ordinary error as a sentence', async () => {
    const { status, body } = await fail('/api/threads?what=missing');
    expect([status, body]).toEqual([404, { detail: expect.stringContaining('No such task') }]);
  });

  test('returns an error of accounts and sessions as code and sentence', async () => {
    const { status, body } = await fail('/api/threads?what=auth');
    expect(status).toBe(401);
    expect(body).toEqual({ detail: { code: 'token_expired', message: 'The token has expired.' } });
  });

  test('returns a list for an invalid request', async () => {
    const { status, body } = await fail('/api/threads');
    expect(status).toBe(422);
    expect(body).toMatchObject({
      detail: [{ type: 'missing', loc: ['query', 'what'], msg: 'Field required', input: {} }],
    });
  });
});

describe('both areas', () => {
  test.each(['/api/tasks', '/api/threads'])('%s reveals nothing about an unexpected error', async (path) => {
    for (const what of ['unexpected', 'internal']) {
      const { status, body } = await fail(`${path}?what=${what}`);
      expect(status).toBe(500);
      expect(JSON.stringify(body)).toContain('Internal error. Quote the request id');
      expect(JSON.stringify(body)).not.toMatch(/private|secret/);
    }
  });

  test('log the cause of a 5xx with the request id', async () => {
    const { headers } = await fail('/api/threads?what=unexpected');
    expect(server.logLines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        requestId: headers['x-request-id'],
        status: 500,
        err: expect.objectContaining({ type: 'TypeError', message: 'cannot read /srv/private' }),
      }),
    );
  });

  test('say when to come back', async () => {
    expect((await fail('/api/tasks?what=busy')).headers['retry-after']).toBe('3');
    expect((await fail('/api/threads?what=unavailable')).headers['retry-after']).toBe('5');
    expect((await fail('/api/threads?what=missing')).headers['retry-after']).toBeUndefined();
  });

  test('report a full disk as such', async () => {
    const { status, body } = await fail('/api/tasks?what=disk');
    expect([status, body.error]).toEqual([507, 'storage_full']);
  });
});
