import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { HttpSession } from '@switchyard/dev-env/http-session';
import type { OpenApiDocument, Schema } from '@switchyard/server/http/docs/openapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const credentials = { email: 'admin@example.com', password: 'correct horse battery' };
const wrong = ['1e400', '-1e400', '1e3', 'Infinity', '-Infinity', 'NaN', '0x10', '%205%20', '', '1.0', '+5'];

let gateway: DevGateway;
let document: OpenApiDocument;
let cookie: string;
/** Opens the door of ComfyUI, which takes no cookie. */
let token: string;

beforeAll(async () => {
  gateway = await startGateway({ config: { database: { backend: 'sqlite' } } });
  await gateway.fetch('/api/v1/auth/initialize', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  const session = await HttpSession.login(gateway.url, credentials);
  cookie = session.cookieHeader;
  const made = { password: credentials.password, name: 'door', scopes: ['comfyui'], expires_in_days: 1 };
  token = (await session.post<{ token: string }>('/api/v1/auth/tokens', made)).token;
  document = (await (await gateway.fetch('/openapi.json')).json()) as OpenApiDocument;
});
afterAll(() => gateway.stop());

/** Every number that a query accepts, with an address that has it. */
function queryNumbers() {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters }]) =>
      parameters
        .filter((parameter) => parameter.in === 'query' && isNumeric(parameter.schema))
        .map(({ name, schema }) => ({ method, path: path.replace(/\{\w+\}/g, 'x'), name, schema })),
    ),
  );
}

function isNumeric(schema: Schema): boolean {
  return schema.type === 'integer' || schema.type === 'number';
}

/** Every number inside a schema, with its place. */
function numbersIn(schema: unknown, place: string): { place: string; schema: Schema }[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = isNumeric(schema as Schema) ? [{ place, schema: schema as Schema }] : [];
  return [...own, ...Object.entries(schema).flatMap(([key, inner]) => numbersIn(inner, `${place}/${key}`))];
}

async function faultOf(path: string): Promise<{ status: number; named: boolean }> {
  const name = /\?(\w+)=/.exec(path)?.[1] ?? '';
  const headers = path.startsWith('/comfy/') ? { authorization: `Bearer ${token}` } : { cookie };
  const answer = await gateway.fetch(path, { headers });
  const text = await answer.text();
  const body = JSON.parse(text) as { detail?: { loc: string[] }[]; details?: { path: string[] }[] };
  const places = [
    ...(body.detail ?? []).map(({ loc }) => loc),
    ...(body.details ?? []).map(({ path: p }) => p),
  ];
  return { status: answer.status, named: places.flat().includes(name) || text.includes(`query.${name}`) };
}

describe('a number in a query', () => {
  test('is a whole number between two bounds, on every route', () => {
    const numbers = queryNumbers();
    expect(numbers.length).toBeGreaterThan(40);
    for (const { path, name, schema } of numbers) {
      expect(schema, `${path}?${name}`).toMatchObject({
        type: 'integer',
        minimum: expect.any(Number),
        maximum: expect.any(Number),
      });
    }
  });

  test('that is not finite, not decimal or repeated is 422 and names its field, on every route', async () => {
    const numbers = queryNumbers().filter(({ method }) => method === 'get');
    for (const { path, name } of numbers) {
      for (const text of [...wrong, `1&${name}=2`]) {
        const asked = `${path}?${name}=${text}`;
        expect(await faultOf(asked), asked).toEqual({ status: 422, named: true });
      }
    }
  });

  test('at its bounds causes no error of the gateway, and beyond them 422', async () => {
    for (const { method, path, name, schema } of queryNumbers()) {
      if (method !== 'get') continue;
      for (const bound of [schema.minimum, schema.maximum]) {
        const { status } = await gateway.fetch(`${path}?${name}=${bound}`, { headers: { cookie } });
        expect(status, `${path}?${name}=${bound}`).toBeLessThan(500);
      }
      for (const beyond of [(schema.minimum as number) - 1, (schema.maximum as number) + 1]) {
        const asked = `${path}?${name}=${beyond}`;
        expect(await faultOf(asked), asked).toEqual({ status: 422, named: true });
      }
    }
  });

  test('never exceeds the maximum of a page', async () => {
    for (let count = 0; count < 3; count += 1) await gateway.register(`user${count}@example.com`);
    const page = async (limit: string) => {
      const answer = await gateway.fetch(`/api/v1/users?limit=${limit}`, { headers: { cookie } });
      return ((await answer.json()) as { items?: unknown[] }).items?.length;
    };
    expect(await page('2')).toBe(2);
    for (const limit of wrong) expect(await page(limit), limit).toBeUndefined();
  });
});

test('a whole number in a body has two bounds if a database stores it', () => {
  const unbounded = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody }]) =>
      Object.values(requestBody?.content ?? {})
        .flatMap(({ schema }) => numbersIn(schema, `${method} ${path}`))
        .filter(({ schema }) => schema.type === 'integer')
        .filter(({ schema }) => schema.minimum === undefined || schema.maximum === undefined),
    ),
  );
  // `rating` is 1 or -1, which its handler checks, because the contract answers 400.
  expect(unbounded.filter(({ place }) => !place.endsWith('/rating'))).toEqual([]);
});
