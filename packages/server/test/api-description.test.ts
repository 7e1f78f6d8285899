import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import * as accessToken from '@switchyard/contract/accounts/access-token';
import * as audit from '@switchyard/contract/accounts/audit';
import * as session from '@switchyard/contract/accounts/session';
import * as user from '@switchyard/contract/accounts/user';
import * as file from '@switchyard/contract/dispatch/file';
import * as instance from '@switchyard/contract/dispatch/instance';
import * as login from '@switchyard/contract/dispatch/login';
import * as monitor from '@switchyard/contract/dispatch/monitor';
import * as queue from '@switchyard/contract/dispatch/queue';
import * as settings from '@switchyard/contract/dispatch/settings';
import * as taskBatches from '@switchyard/contract/dispatch/task-batches';
import * as tasks from '@switchyard/contract/dispatch/tasks';
import * as webhook from '@switchyard/contract/dispatch/webhook';
import * as comfyApi from '@switchyard/contract/doors/comfy-api';
import * as comfyui from '@switchyard/contract/doors/comfyui';
import * as mcp from '@switchyard/contract/doors/mcp';
import type { Endpoint } from '@switchyard/contract/endpoint';
import { errorCatalogue } from '@switchyard/contract/errors';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { App } from '../src/http/app.ts';
import type { OpenApiDocument } from '../src/http/docs/openapi.ts';
import { startTestServer, type TestServer } from './support/test-server.ts';

const modules = [
  taskBatches,
  accessToken,
  audit,
  queue,
  session,
  user,
  file,
  instance,
  login,
  monitor,
  settings,
  tasks,
  webhook,
  comfyui,
  comfyApi,
  mcp,
];
const endpoints = modules.flatMap((module) => Object.values(module).filter(isEndpoint));

/** The console, whose files no description names. */
let folder: ReturnType<typeof temporaryFolder>;
let server: TestServer;
let document: OpenApiDocument;

beforeAll(async () => {
  folder = temporaryFolder();
  writeFileSync(join(folder.path, 'index.html'), '<!doctype html>');
  server = await startTestServer({ routes: [everything], consoleFolder: folder.path });
  document = (await server.inject('/openapi.json')).json();
});
afterAll(async () => {
  await server.close();
  folder.remove();
});

/** Every endpoint of the contract, without an implementation. */
function everything(app: App): void {
  for (const endpoint of endpoints) app.route({ ...endpoint, handler: () => ({}) });
}

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'method' in value && 'url' in value;
}

function operationOf({ method, url }: Pick<Endpoint, 'method' | 'url'>) {
  return document.paths[url.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
}

describe('/openapi.json', () => {
  test('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate({ ...structuredClone(document) });
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(document.openapi).toBe('3.1.0');
  });

  test('describes every route, and who may call it', () => {
    expect(endpoints.length).toBeGreaterThan(30);
    for (const endpoint of endpoints) {
      expect(operationOf(endpoint), `${endpoint.method} ${endpoint.url}`).toMatchObject({
        summary: endpoint.schema.summary,
        'x-access': endpoint.config.access,
      });
    }
    expect(operationOf({ method: 'GET', url: '/healthz' })?.security).toEqual([]);
  });

  test('describes nothing of the console beside it', () => {
    expect(Object.keys(document.paths).filter((path) => /asset.*\{name\}|icon/.test(path))).toEqual([]);
  });

  test('gives every operation a unique id', () => {
    const ids = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('says what a credential needs', () => {
    expect(operationOf(tasks.listTasks)?.security).toEqual([
      { bearer: ['dispatch:read'] },
      { accessToken: ['dispatch:read'] },
      { session: ['dispatch:read'] },
    ]);
    expect(operationOf(tasks.submitTask)?.security).toContainEqual({ session: ['dispatch:write'], csrf: [] });
    expect(operationOf(comfyui.comfyuiSubmit)?.security).toEqual([
      { bearer: ['dispatch:write'] },
      { accessToken: ['dispatch:write'] },
      { bearer: ['comfyui'] },
      { accessToken: ['comfyui'] },
    ]);
  });

  test('describes parameters, bodies and the errors of the area', () => {
    const list = operationOf(tasks.listTasks);
    expect(list?.parameters).toContainEqual({
      name: 'limit',
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    });
    expect(list?.responses.default).toEqual({ $ref: '#/components/responses/dispatch' });
    expect(operationOf(session.login)?.responses.default).toEqual({
      $ref: '#/components/responses/conversation',
    });
    expect(operationOf(comfyApi.comfyApiSubmit)?.responses.default).toMatchObject({
      content: { 'application/json': { schema: { required: ['error'] } } },
    });
    const forms = Object.keys(operationOf(session.login)?.requestBody?.content ?? {});
    expect(forms).toEqual(['application/x-www-form-urlencoded', 'application/json']);
    expect(operationOf(file.uploadFile)?.requestBody?.content).toHaveProperty(['multipart/form-data']);
  });
});

describe('/docs', () => {
  test('shows every endpoint and every error code', async () => {
    const { body, headers } = await server.inject('/docs');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    for (const { schema } of endpoints) expect(body).toContain(escaped(schema.summary));
    for (const code of Object.keys(errorCatalogue)) expect(body).toContain(`id="error-${code}"`);
  });

  test('has a target for every link on the page', async () => {
    const { body } = await server.inject('/docs');
    const targets = new Set([...body.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));
    const links = [...body.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter((link) => !targets.has(link))).toEqual([]);
  });

  test('loads its own files only, under a policy that allows nothing else', async () => {
    const { body, headers } = await server.inject('/docs');
    expect(headers['content-security-policy']).toContain("script-src 'self'; style-src 'self'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(body).not.toMatch(/<style|<script>| style="| on\w+="|https?:\/\/(?!127\.0\.0\.1)/);
    const files = [...body.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1] ?? '');
    expect(new Set(files)).toEqual(new Set(['/docs/docs.css', '/docs/docs.js', '/openapi.json']));
    for (const path of files) expect((await server.inject(path)).statusCode).toBe(200);
  });

  test('serves style and script with their types', async () => {
    const style = await server.inject('/docs/docs.css');
    expect(style.headers['content-type']).toBe('text/css; charset=utf-8');
    const script = await server.inject('/docs/docs.js');
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(() => new Function(script.body)).not.toThrow();
    expect((await server.inject('/docs/passwd')).statusCode).toBe(422);
  });

  test('is requested again but not sent again', async () => {
    const { headers } = await server.inject('/docs');
    expect(headers['cache-control']).toBe('no-cache');
    const again = await server.inject({ url: '/docs', headers: { 'if-none-match': String(headers.etag) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });
});

function escaped(text: string): string {
  return text.replaceAll("'", '&#39;').replaceAll('"', '&#34;');
}
