import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { App } from '../src/http/app.ts';
import { startTestServer, type TestServer, testRoute, testSchema } from './support/test-server.ts';

const body = Type.Object({
  email: Type.String({ format: 'email' }),
  password: Type.String({ minLength: 8 }),
  age: Type.Optional(Type.Integer({ minimum: 0 })),
  mode: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: ['values', 'updates'] })),
  note: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  graph: Type.Optional(Type.Record(Type.String(), Type.Object({ size: Type.Integer() }))),
  items: Type.Optional(Type.Array(Type.Object({ id: Type.String() }), { maxItems: 2 })),
  target: Type.Optional(
    Type.Union([
      Type.Object({ kind: Type.Literal('task'), taskId: Type.String() }),
      Type.Object({ kind: Type.Literal('run'), runId: Type.Integer() }),
    ]),
  ),
  level: Type.Optional(Type.Union([Type.Literal('low'), Type.Literal('high'), Type.Null()])),
  size: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
});
const query = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  tag: Type.Optional(Type.Array(Type.String())),
  deep: Type.Optional(Type.Boolean()),
});

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ routes: [echoing('/api/tasks'), echoing('/api/threads')] });
});
afterAll(() => server.close());

function echoing(url: string) {
  return (app: App) => {
    const schema = { ...testSchema, querystring: query };
    app.route({ ...testRoute, method: 'GET', url, schema, handler: (request) => request.query });
    app.route({
      ...testRoute,
      method: 'POST',
      url,
      schema: { ...schema, body },
      handler: (request) => request.body,
    });
  };
}

const valid = { email: 'a@example.com', password: 'long enough' };

async function post(payload: object, url = '/api/threads') {
  const answer = await server.inject({ method: 'POST', url, payload });
  return { status: answer.statusCode, body: answer.json() };
}

/** Returns the faults of a body that is valid except for `wrong`. */
async function faultsOf(wrong: object): Promise<unknown[]> {
  const { status, body } = await post({ ...valid, ...wrong });
  expect(status).toBe(422);
  return body.detail;
}

describe('a body', () => {
  test('that is valid reaches the handler', async () => {
    expect(await post(valid)).toEqual({ status: 200, body: valid });
  });

  test('is refused with every fault at once, in both areas', async () => {
    const wrong = { email: 'nobody', password: 'short', age: -1, mode: 'everything' };
    const conversation = await post(wrong, '/api/threads?limit=0');
    expect(
      conversation.body.detail.map((fault: { loc: unknown[]; type: string }) => [...fault.loc, fault.type]),
    ).toEqual([
      ['query', 'limit', 'greater_than_equal'],
      ['body', 'email', 'value_error'],
      ['body', 'password', 'string_too_short'],
      ['body', 'age', 'greater_than_equal'],
      ['body', 'mode', 'literal_error'],
    ]);
    const dispatch = await post(wrong, '/api/tasks?limit=0');
    expect(dispatch.body).toMatchObject({ code: 422, error: 'validation_failed', data: null });
    expect(dispatch.body.details).toContainEqual({
      path: 'body.password',
      message: 'String should have at least 8 characters',
      sentences: [{ code: 'string_too_short', values: { length: '8' } }],
    });
    expect(dispatch.body.details).toHaveLength(5);
    expect(dispatch.body.message).toBe(
      'query.limit: Input should be greater than or equal to 1 (and 4 more)',
    );
  });

  test('that lacks a field is refused with its name', async () => {
    const { body } = await post({ email: 'a@example.com' });
    expect(body.detail).toEqual([
      {
        type: 'missing',
        loc: ['body', 'password'],
        msg: 'Field required',
        input: { email: 'a@example.com' },
        sentences: [{ code: 'field_required', values: {} }],
      },
    ]);
  });

  test('that is absent is missing as a whole', async () => {
    const answer = await server.inject({ method: 'POST', url: '/api/threads' });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().detail).toMatchObject([
      { type: 'missing', loc: ['body'], msg: 'Field required', input: null },
    ]);
  });

  test('is not converted to other types', async () => {
    expect(await faultsOf({ age: '7' })).toMatchObject([
      { type: 'int_type', loc: ['body', 'age'], msg: 'Input should be a valid integer', input: '7' },
    ]);
    expect(await faultsOf({ password: 12345678 })).toMatchObject([{ type: 'string_type' }]);
  });

  test.each([
    [{ age: 1.5 }, 'int_type'],
    [{ age: -1 }, 'greater_than_equal'],
    [{ items: {} }, 'list_type'],
    [{ items: [{}] }, 'missing'],
    [{ items: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] }, 'too_long'],
    [{ graph: [] }, 'dict_type'],
    [{ note: 5 }, 'string_type'],
    [{ mode: 'x' }, 'literal_error'],
  ])('%j is a %s', async (wrong, type) => {
    expect(await faultsOf(wrong)).toEqual([expect.objectContaining({ type })]);
  });

  test('names keys as texts and places in lists as numbers', async () => {
    expect(await faultsOf({ graph: { 3: { size: 'x' } }, items: [{ id: 'a' }, { id: 1 }] })).toMatchObject([
      { loc: ['body', 'graph', '3', 'size'] },
      { loc: ['body', 'items', 1, 'id'] },
    ]);
  });

  test('with several allowed shapes is checked against the intended one', async () => {
    expect(await faultsOf({ target: { kind: 'run', runId: 'x' } })).toEqual([
      expect.objectContaining({ type: 'int_type', loc: ['body', 'target', 'runId'] }),
    ]);
    expect(await faultsOf({ target: { kind: 'walk' } })).toEqual([
      expect.objectContaining({
        type: 'literal_error',
        loc: ['body', 'target', 'kind'],
        msg: "Input should be 'task' or 'run'",
      }),
    ]);
  });

  test('with several allowed words or types is refused with the alternatives', async () => {
    expect(await faultsOf({ level: 'middle' })).toMatchObject([
      {
        type: 'literal_error',
        loc: ['body', 'level'],
        msg: "Input should be 'low' or 'high'",
        input: 'middle',
        ctx: { expected: "'low' or 'high'" },
      },
    ]);
    expect(await faultsOf({ size: [] })).toEqual([
      expect.objectContaining({ msg: 'Value error, input should be a string or an integer' }),
    ]);
  });

  test('that is long is not sent back', async () => {
    const [fault] = await faultsOf({ mode: 'x'.repeat(100_000) });
    expect(JSON.stringify(fault).length).toBeLessThan(1_000);
  });

  test('with ten thousand faults gets the first hundred', async () => {
    const items = Array.from({ length: 10_000 }, () => ({}));
    expect(await faultsOf({ items })).toHaveLength(100);
  });

  test('beyond 256 kB gets its first fault only', async () => {
    const items = Array.from({ length: 90_000 }, () => ({}));
    expect(await faultsOf({ items })).toHaveLength(1);
  });
});

describe('a query', () => {
  async function get(search: string) {
    const answer = await server.inject(`/api/threads?${search}`);
    return { status: answer.statusCode, body: answer.json() };
  }

  test('is converted to the types of its schema, with defaults', async () => {
    expect((await get('deep=true&tag=a')).body).toEqual({ limit: 50, deep: true, tag: ['a'] });
    expect((await get('limit=7&tag=a&tag=b')).body).toEqual({ limit: 7, tag: ['a', 'b'] });
  });

  test.each([
    ['limit=0', 'greater_than_equal'],
    ['limit=201', 'less_than_equal'],
    ['limit=ten', 'int_parsing'],
    ['limit=', 'int_parsing'],
    ['limit=1.5', 'int_parsing'],
    ['limit=1e400', 'int_parsing'],
    ['limit=-1e400', 'int_parsing'],
    ['limit=1e1', 'int_parsing'],
    ['limit=Infinity', 'int_parsing'],
    ['limit=-Infinity', 'int_parsing'],
    ['limit=NaN', 'int_parsing'],
    ['limit=0x10', 'int_parsing'],
    ['limit=%205%20', 'int_parsing'],
    ['limit=5%0A', 'int_parsing'],
    ['limit=+5', 'int_parsing'],
    ['limit=99999999999999999999', 'less_than_equal'],
    [`limit=${'9'.repeat(400)}`, 'int_parsing'],
    ['limit=true', 'int_parsing'],
    ['deep=1', 'bool_parsing'],
    ['deep=constructor', 'bool_parsing'],
    ['limit=1&limit=2', 'int_type'],
    ['deep=perhaps', 'bool_parsing'],
  ])('%s is a %s', async (search, type) => {
    const { status, body } = await get(search);
    expect(status).toBe(422);
    expect(body.detail).toEqual([expect.objectContaining({ type, loc: ['query', search.split('=')[0]] })]);
  });
});

describe('unknown keys', () => {
  test('are removed from the body and named in a header', async () => {
    const answer = await server.inject({
      method: 'POST',
      url: '/api/threads',
      payload: { ...valid, adress: 1, 'x\r\ny': 2, target: { kind: 'run', runId: 1 } },
    });
    expect(answer.headers['x-ignored-fields']).toBe('adress, x%0D%0Ay');
    expect(answer.json()).toEqual({ ...valid, target: { kind: 'run', runId: 1 } });
  });

  test('are not searched when no body was sent', async () => {
    const answer = await server.inject({ method: 'POST', url: '/api/threads', payload: valid });
    expect(answer.headers['x-ignored-fields']).toBeUndefined();
  });
});
