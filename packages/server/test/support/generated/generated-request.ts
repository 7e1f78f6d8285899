import type { OpenApiDocument, Operation, Parameter } from '@switchyard/server/http/docs/openapi';
import { hostileDigits, hostileText, hostileValue, jsonText } from './hostile-values.ts';
import { type Names, plain } from './known-things.ts';
import { type JsonSchema, schemaValue, spoiled, type ValueSource } from './schema-values.ts';

export interface GeneratedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
  /** The response may last: the caller disconnects after a while. */
  isHeld: boolean;
  /** The names in the address, for reading the response. */
  names: Names;
}

interface Route {
  method: string;
  path: string;
  operation: Operation;
}

export function routesOf(document: OpenApiDocument): Route[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

/** A request to a route: sometimes valid, sometimes wrong in one place, sometimes completely wrong. */
export function generatedRequest(route: Route, given: Omit<ValueSource, 'density'>): GeneratedRequest {
  const { method, path, operation } = route;
  const { random } = given;
  const source = { ...given, density: random.pick([0, 0, 0.1, 0.1, 0.4]) };
  const names = namesOf(route, source);
  const body = random.chance(operation.requestBody ? 0.95 : 0.05) ? bodyOf(operation, source) : undefined;
  const query = queryOf(operation, source);
  return {
    method: random.chance(0.02) ? random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']) : method,
    path: pathOf(path, names, source) + (query === '' ? '' : `?${query}`),
    headers: { ...headersOf(operation, source), ...(body && { 'content-type': body.type }) },
    body: body?.bytes,
    names: Object.fromEntries(Object.entries(names).map(([name, value]) => [plain(name), value])),
    isHeld: isHeld(path, operation) || /(^|&)(wait|cancel_on_disconnect)=/.test(query),
  };
}

/** Streams, waits, and calls of other machines that have their own deadline. */
function isHeld(path: string, { responses }: Operation): boolean {
  const streams = JSON.stringify(responses).includes('text/event-stream');
  return streams || /\/(stream|wait|join|test|suggestions|messages)$/.test(path);
}

/** The parameters of a path: things that belong together, with one exchanged from time to time. */
function namesOf({ path, operation }: Route, source: ValueSource): Names {
  const { random, things } = source;
  const parameters = operation.parameters.filter((each) => each.in === 'path');
  const known = things.namesFor(
    parameters.map(({ name }) => name),
    path,
    random,
  );
  const names = parameters.map((parameter) => {
    const belonging = random.chance(0.9) ? known[parameter.name] : undefined;
    return [parameter.name, belonging ?? addressText(parameter, source)];
  });
  return Object.fromEntries(names) as Names;
}

function pathOf(path: string, names: Names, source: ValueSource): string {
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const text = names[name] ?? '';
    return name === 'path'
      ? text
          .split('/')
          .map((step) => escaped(step, source))
          .join('/')
      : escaped(text, source);
  });
}

function addressText({ name, schema }: Pick<Parameter, 'name' | 'schema'>, source: ValueSource): string {
  const { random, things } = source;
  const isNumber = schema.type === 'integer' || schema.type === 'number';
  if (random.chance(0.2)) return isNumber ? hostileDigits(random) : hostileText(random);
  const known = random.chance(0.5) ? things.named(name, random) : undefined;
  const isText = schema.type === undefined || schema.type === 'string';
  return known !== undefined && isText ? known : plainText(schemaValue(schema as JsonSchema, source, name));
}

/** An object may have a `toString` that is a text, so it is written as JSON. */
function plainText(value: unknown): string {
  return typeof value === 'object' && value !== null ? jsonText(value) : String(value);
}

/** Escaped as a client does it, or as a broken client does it. */
function escaped(text: string, { random }: ValueSource): string {
  const raw = text.replace(/[^\x21-\x7e]|[?#]/g, '-');
  return random.chance(0.02) ? raw : encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}

function queryOf({ parameters }: Operation, source: ValueSource): string {
  const { random } = source;
  const pairs = parameters
    .filter((parameter) => parameter.in === 'query' && (parameter.required || random.chance(0.4)))
    .flatMap((parameter) =>
      Array.from({ length: random.chance(0.07) ? 2 : 1 }, () => {
        return `${parameter.name}=${escaped(addressText(parameter, source), source)}`;
      }),
    );
  if (random.chance(0.05))
    pairs.push(`${escaped(hostileText(random), source)}=${escaped(hostileText(random), source)}`);
  if (random.chance(0.03)) pairs.push(random.pick(['&&', '=', '%zz', 'a[b]=1', 'limit[]=1', '%ff=%fe']));
  return pairs.join('&');
}

const strangeHeaders: Record<string, readonly string[]> = {
  accept: ['*/*', 'text/event-stream', 'nonsense', 'application/json;q=x'],
  'accept-encoding': ['gzip', 'br;q=1.0, *;q=0', 'identity;q=0', 'nonsense'],
  range: ['bytes=0-0', 'bytes=-1', 'bytes=9999999999999999999-', 'bytes=a-b', 'bytes=5-2', 'lines=1-2'],
  'if-range': ['"x"', 'Tue, 01 Jan 2030 00:00:00 GMT'],
  'if-none-match': ['*', '"x"', 'W/"y", "z"'],
  'if-match': ['*', '"1"', 'W/"1"', '1', 'x', '"99999999999999999999"'],
  'last-event-id': ['-1', '0', '3', '1e400', 'x:1', ':::', '99999999999999999999'],
  'idempotency-key': ['a', 'b', ' ', 'x'.repeat(255), 'x'.repeat(256)],
  origin: ['null', 'http://evil.example', 'http://127.0.0.1'],
  'x-forwarded-for': ['1.2.3.4', 'x', '::1, ::2'],
  'x-forwarded-proto': ['https', 'x'],
  forwarded: ['for=1.2.3.4;proto=https', '=;'],
  'content-encoding': ['gzip', 'identity', 'x'],
  'x-request-id': ['a', 'x'.repeat(500), '<b>'],
};

function headersOf({ parameters }: Operation, { random }: ValueSource): Record<string, string> {
  const declared = parameters.filter((each) => each.in === 'header').map(({ name }) => name);
  const names = [
    ...declared.filter(() => random.chance(0.5)),
    ...Object.keys(strangeHeaders).filter(() => random.chance(0.012)),
  ];
  return Object.fromEntries(
    names.map((name) => [name, random.pick(strangeHeaders[name] ?? ['a', '1', '*'])]),
  );
}

function bodyOf({ requestBody }: Operation, source: ValueSource): { type: string; bytes: Buffer } {
  const { random } = source;
  const content = Object.entries(requestBody?.content ?? { 'application/json': { schema: {} } });
  const [mediaType, { schema }] = random.pick(content);
  const type = random.chance(0.04) ? random.pick(strangeTypes) : mediaType;
  if (mediaType === 'multipart/form-data') return multipartBody(source);
  const value = changed(schemaValue(schema as JsonSchema, source), source);
  if (mediaType === 'application/x-www-form-urlencoded') return { type, bytes: Buffer.from(formText(value)) };
  return { type, bytes: random.chance(0.04) ? random.pick(brokenBodies) : Buffer.from(jsonText(value)) };
}

function changed(value: unknown, { random }: ValueSource): unknown {
  if (random.chance(0.55)) return value;
  if (random.chance(0.08)) return hostileValue(random);
  const once = spoiled(value, random);
  return random.chance(0.25) ? spoiled(once, random) : once;
}

const strangeTypes = [
  'text/plain',
  'application/json; charset=utf-16',
  'application/json; charset="',
  'application/octet-stream',
  'multipart/form-data',
  `multipart/form-data; boundary=${'b'.repeat(300)}`,
  'application/x-www-form-urlencoded',
  'application/json, application/json',
  'nonsense',
  '/',
];

const brokenBodies = [
  '',
  '{',
  '{"a":',
  '[1,',
  'nonsense',
  '{"a":1}{"b":2}',
  '\ufeff{}',
  '"\\ud800"',
  '\0',
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
]
  .map((text) => Buffer.from(text))
  .concat([Buffer.from([0xff, 0xfe, 0x7b, 0x7d]), Buffer.from([0x22, 0xc3, 0x28, 0x22])]);

function formText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return plainText(value);
  const pairs = Object.entries(value).map(([key, item]) => [
    key,
    typeof item === 'string' ? item : jsonText(item),
  ]);
  return new URLSearchParams(pairs as [string, string][]).toString();
}

function multipartBody({ random }: ValueSource): { type: string; bytes: Buffer } {
  const boundary = random.chance(0.7)
    ? 'XX'
    : random.pick(['b'.repeat(70), 'b'.repeat(71), 'b'.repeat(300), "a'()+_,-./:=?", '']);
  const part = () => {
    const name = random.pick(['file', 'file', 'files', 'files', 'other', '__proto__', '']);
    const filename = random.chance(0.85)
      ? `; filename="${fileName(hostileText(random), random.chance(0.7))}"`
      : '';
    const more = random.chance(0.1)
      ? `\r\n${random.pick(['x: y', 'content-type: a/b; charset=nonsense', ': ', 'x'.repeat(20_000)])}`
      : '';
    return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${filename}${more}\r\n\r\n${hostileText(random)}\r\n`;
  };
  const parts = Array.from({ length: random.pick([0, 1, 1, 1, 1, 1, 2, 30]) }, part).join('');
  const end = random.chance(0.9) ? `--${boundary}--\r\n` : '';
  const written = random.chance(0.9)
    ? `; boundary="${boundary}"`
    : random.pick(['', '; boundary=', '; boundary=other']);
  return { type: `multipart/form-data${written}`, bytes: Buffer.from(parts + end) };
}

function fileName(hostile: string, isPlain: boolean): string {
  return isPlain ? 'a.png' : hostile.replace(/["\r\n]/g, '');
}
