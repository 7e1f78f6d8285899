import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../endpoint.ts';
import * as files from './file.ts';
import * as instances from './instance.ts';
import * as monitor from './monitor.ts';
import { clientMessage, serverFrame } from './push.ts';
import * as settings from './settings.ts';
import * as tasks from './tasks.ts';
import * as webhooks from './webhook.ts';

const accepts = (schema: TSchema, value: unknown): boolean => Compile(schema).Check(value);

/** The contract's table of endpoints, word for word; login and health stand elsewhere. */
const contractEndpoints = [
  'GET /api/instances',
  'GET /api/instances/:instanceId',
  'PUT /api/instances/:instanceId',
  'GET /api/tasks',
  'POST /api/tasks',
  'GET /api/tasks/:taskId',
  'DELETE /api/tasks/:taskId',
  'POST /api/files/upload',
  'GET /api/files',
  'DELETE /api/files/:fileId',
  'GET /api/config',
  'PUT /api/config',
  'GET /api/monitor/overview',
];

const endpoints = [instances, tasks, files, settings, monitor, webhooks]
  .flatMap((module) => Object.values(module) as unknown[])
  .filter((value): value is Endpoint => typeof value === 'object' && value !== null && 'url' in value);

test('has every endpoint of the contract', () => {
  expect(endpoints.map(({ method, url }) => `${method} ${url}`)).toEqual(
    expect.arrayContaining(contractEndpoints),
  );
});

test('only administrators change instances and see the configuration', () => {
  const forAdmins = endpoints
    .filter(({ config }) => config.access === 'admin')
    .map(({ method, url }) => `${method} ${url}`);
  expect(forAdmins.sort()).toEqual([
    'GET /api/config',
    'POST /api/instances/:instanceId/test',
    'PUT /api/config',
    'PUT /api/instances/:instanceId',
  ]);
});

describe('a submission', () => {
  test.each([
    { workflow: {}, params: {} },
    { workflow: { '1': { class_type: 'X', inputs: {} } } },
    { workflow: {}, priority: -100, tags: ['a'], retry: 'never', maxAttempts: 1, strict: true },
    { workflow: {}, webhook: { url: 'https://example.org/hook' } },
  ])('may be %j', (body) => {
    expect(accepts(tasks.newTask, body)).toBe(true);
  });

  test.each([
    {},
    { workflow: [] },
    { workflow: 'x' },
    { workflow: {}, params: [] },
    { workflow: {}, priority: 101 },
    { workflow: {}, priority: 1.5 },
    { workflow: {}, timeoutSeconds: 0 },
    { workflow: {}, retry: 'sometimes' },
    { workflow: {}, maxAttempts: 11 },
    { workflow: {}, tags: ['a', 'a'] },
    { workflow: {}, timeout: 5 },
    { workflow: {}, owner: 'somebody' },
    { workflow: {}, webhook: { url: 'https://example.org', secret: 'short' } },
  ])('may not be %j', (body) => {
    expect(accepts(tasks.newTask, body)).toBe(false);
  });
});

test.each([
  [{ limit: 0 }, false],
  [{ limit: 201 }, false],
  [{ offset: -1 }, false],
  [{ status: 'stopped' }, false],
  [{ status: 'cancelled' }, true],
  [{ since: 'yesterday' }, false],
  [{ limit: 200, offset: 0, status: 'failed', order: 'asc', since: '2030-01-01T00:00:00Z' }, true],
])('a list query of %j is allowed: %s', (query, isAllowed) => {
  expect(accepts(tasks.taskListQuery, query)).toBe(isAllowed);
});

describe('the configuration', () => {
  const instance = { ip: '10.0.0.5', port: 8188 };
  const server = { id: 'studio', name: 'Studio', kind: 'comfyui', instances: [instance] };
  const configured = (change: Record<string, unknown>, interval = 5) => ({
    servers: [{ ...server, ...change }],
    healthCheck: { interval },
  });

  test.each([
    configured({}),
    configured({ tls: true, headers: { Authorization: '***' }, tags: ['fast'] }),
    configured({ tls: { verify: false } }),
    { servers: [], healthCheck: { interval: 86_400 } },
  ])('may be %j', (body) => {
    expect(accepts(settings.settingsInput, body)).toBe(true);
  });

  test.each([
    configured({}, 0.5),
    configured({}, 86_401),
    configured({ kind: 'other' }),
    configured({ id: '../x' }),
    configured({ headers: { 'bad name': 'x' } }),
    configured({ headers: { good: 'x\r\nEvil: y' } }),
    configured({ instances: [{ ...instance, port: 0 }] }),
    configured({ instances: [{ ...instance, port: 70_000 }] }),
    configured({ instance: [] }),
    { servers: [] },
  ])('may not be %j', (body) => {
    expect(accepts(settings.settingsInput, body)).toBe(false);
  });
});

describe('messages', () => {
  const frame = (type: string, data: unknown) => ({ type, timestamp: 1_700_000_000_000, data });

  test.each([
    frame('task_progress', { taskId: 't', progress: 5 }),
    frame('task_progress', { taskId: 't', progress: 5, node: 'Sampler', step: 1, steps: 20 }),
    frame('task_failed', { taskId: 't', error: { code: 'cancelled', message: 'm' }, attempt: 1 }),
    frame('task_started', { taskId: 't', instanceId: 'a:1', attempt: 1 }),
    frame('global_status', {
      instances: [],
      tasks: { pending: 0, running: 0, completed: 0, failed: 0 },
      paused: null,
      pausedPools: [],
      serverTime: '2030-01-01T00:00:00.000Z',
    }),
  ])('the gateway may push %j', (message) => {
    expect(accepts(serverFrame, message)).toBe(true);
  });

  test('refuses a frame of one type with the data of another', () => {
    expect(accepts(serverFrame, frame('task_progress', { taskId: 't' }))).toBe(false);
    expect(accepts(serverFrame, frame('task_done', { taskId: 't', progress: 5 }))).toBe(false);
  });

  test('clients send auth, ping and subscribe, and nothing that the gateway sends', () => {
    expect(accepts(clientMessage, { type: 'ping' })).toBe(true);
    expect(accepts(clientMessage, { type: 'auth', data: { token: 'x' } })).toBe(true);
    expect(
      accepts(clientMessage, { type: 'subscribe', data: { topics: ['previews'], taskIds: ['t'] } }),
    ).toBe(true);
    expect(accepts(clientMessage, { type: 'subscribe', data: { topics: ['everything'] } })).toBe(false);
    expect(accepts(clientMessage, frame('task_progress', { taskId: 't', progress: 5 }))).toBe(false);
  });
});
