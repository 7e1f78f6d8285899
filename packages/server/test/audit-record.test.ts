import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditRecord } from '@switchyard/contract/accounts/audit';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { readChannels } from '@switchyard/server/config/channels';
import type { OpenApiDocument } from '@switchyard/server/http/docs/openapi';
import type { JobTables } from '@switchyard/server/platform/jobs/tables';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixtureAgents } from './support/conversation-gateway.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow } from './support/dispatch-pool.ts';
import { zip } from './support/zip.ts';

const password = 'correct horse battery';
const secret = `whsec_${randomBytes(32).toString('base64')}`;

let gateway: DevGateway;
let document: OpenApiDocument;
let root: HttpSession;
let admin: DispatchCaller;
let user: DispatchCaller;
let cookie: string;

beforeAll(async () => {
  gateway = await startGateway({
    config: {
      database: { backend: 'sqlite' },
      agents: fixtureAgents,
      channels: readChannels({
        desk: {
          type: 'http',
          secret,
          url: 'http://127.0.0.1:9/',
          users: { x: 'admin@example.com' },
          assistant: 'chat',
        },
      }),
    },
  });
  document = (await (await gateway.fetch('/openapi.json')).json()) as OpenApiDocument;
  admin = await DispatchCaller.initialize(gateway.url);
  root = await HttpSession.login(gateway.url, { email: 'admin@example.com', password });
  cookie = root.cookieHeader;
  user = await DispatchCaller.register(gateway.url, 'user@example.com');
});
afterAll(() => gateway.stop());

interface Sent {
  path: string;
  body?: unknown;
}

/** Sends a request as the administrator in a session; returns what it left in the record. */
async function recorded(method: string, { path, body }: Sent): Promise<AuditRecord[]> {
  const { records } = await sent(method, { path, body });
  return records;
}

async function sent(method: string, { path, body }: Sent) {
  const answer = await gateway.fetch(path, {
    method,
    headers: {
      cookie,
      'x-csrf-token': /csrf_token=([^;]+)/.exec(cookie)?.[1] ?? '',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect(answer.ok, `${method} ${path} answered ${answer.status}: ${text}`).toBe(true);
  const requestId = answer.headers.get('x-request-id');
  const records = (await all()).filter((record) => record.requestId === requestId);
  return { records, answer: JSON.parse(text) };
}

async function all(query = ''): Promise<AuditRecord[]> {
  return (await admin.call('GET', `/api/audit?limit=200&${query}`)).data.items;
}

const skillText = (does: string) => `---\nname: add-milk\ndescription: ${does}\n---\nDo it.\n`;

/** Puts an archive into a thread of the administrator, as an upload would. */
async function skillArchive(): Promise<{ thread_id: string; path: string }> {
  const { thread_id } = await root.post<{ thread_id: string }>('/api/threads', {});
  const { id } = await root.get<{ id: string }>('/api/v1/auth/me');
  const folder = join(gateway.home, 'users', id, 'threads', thread_id, 'user-data/outputs');
  mkdirSync(folder, { recursive: true });
  const archive = zip([{ name: 'add-milk/SKILL.md', content: Buffer.from(skillText('It does.')) }]);
  writeFileSync(join(folder, 'x.skill'), archive);
  return { thread_id, path: '/mnt/user-data/outputs/x.skill' };
}

async function deadJob(): Promise<string> {
  const job = { id: 'dead', kind: 'audit.forget', key: null, payload: '{}', dueAtMs: null, runner: null };
  const end = { attempt: 7, intervalMs: null, lastError: 'It failed.', diedAtMs: Date.now() };
  const database = gateway.context.database.withTables<JobTables>();
  await database.write((trx) =>
    trx
      .insertInto('jobs')
      .values({ ...job, ...end })
      .execute(),
  );
  return job.id;
}

let made = '';
const instance = '127.0.0.1:9';
const servers = [{ id: 's', name: 'S', kind: 'comfyui', instances: [{ ip: '127.0.0.1', port: 9 }] }];

/** A request to each changing route for administrators, in an order in which each finds what it changes. */
const requests: Record<string, () => Promise<Sent> | Sent> = {
  'POST /api/v1/users': () => ({ path: '/api/v1/users', body: { email: 'new@example.com' } }),
  'PATCH /api/v1/users/{userId}': () => ({ path: `/api/v1/users/${made}`, body: { disabled: true } }),
  'POST /api/v1/users/{userId}/reset-password': () => ({ path: `/api/v1/users/${made}/reset-password` }),
  'DELETE /api/v1/users/{userId}': () => ({ path: `/api/v1/users/${made}` }),
  'PUT /api/config': () => ({ path: '/api/config', body: { servers, healthCheck: { interval: 60 } } }),
  'PUT /api/instances/{instanceId}': () => ({ path: `/api/instances/${instance}`, body: { enabled: false } }),
  'PUT /api/mcp/config': () => ({
    path: '/api/mcp/config',
    body: { mcp_servers: { tools: { type: 'http', url: 'http://127.0.0.1:9/', headers: { a: 'hush' } } } },
  }),
  'PATCH /api/mcp/config': () => ({
    path: '/api/mcp/config',
    body: { server_name: 'tools', enabled: false },
  }),
  'POST /api/mcp/cache/reset': () => ({ path: '/api/mcp/cache/reset' }),
  'POST /api/skills/install': async () => ({ path: '/api/skills/install', body: await skillArchive() }),
  'PUT /api/skills/{skill_name}': () => ({ path: '/api/skills/add-milk', body: { enabled: false } }),
  'POST /api/skills/reload': () => ({ path: '/api/skills/reload' }),
  'PUT /api/skills/custom/{skill_name}': () => ({
    path: '/api/skills/custom/add-milk',
    body: { content: skillText('It does more.') },
  }),
  'POST /api/skills/custom/{skill_name}/rollback': () => ({
    path: '/api/skills/custom/add-milk/rollback',
    body: { history_index: -1 },
  }),
  'DELETE /api/skills/custom/{skill_name}': () => ({ path: '/api/skills/custom/add-milk' }),
  'POST /api/channels/{name}/restart': () => ({ path: '/api/channels/desk/restart' }),
  'POST /api/system/jobs/{jobId}/retry': async () => ({ path: `/api/system/jobs/${await deadJob()}/retry` }),
};

/** Changing methods that change nothing, each with the reason. */
const exceptions: Record<string, string> = {
  'POST /api/thread-retention':
    'It leaves one when threads have gone, which takes old threads: thread-retention.test.ts looks at it.',
  'POST /api/instances/{instanceId}/test': 'It asks a worker how it is.',
  'POST /api/mcp/servers/{server_name}/test': 'It connects to a server once and lists its tools.',
};

function changingRoutes(): string[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method, operation]) => method !== 'get' && operation['x-access'] === 'admin')
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
}

describe('every changing route for administrators', () => {
  it('has a request here, or a reason why it leaves no record', () => {
    expect(changingRoutes().length).toBeGreaterThan(15);
    expect(new Set(changingRoutes())).toEqual(
      new Set([...Object.keys(requests), ...Object.keys(exceptions)]),
    );
  });

  it.each(Object.keys(requests))('%s leaves a record with its actor and its request', async (route) => {
    const [method = ''] = route.split(' ');
    const wanted = await requests[route]?.();
    if (!wanted) throw new Error('there is a request');
    const { records, answer } = await sent(method, wanted);
    if (route === 'POST /api/v1/users') made = answer.id;
    expect(records).toMatchObject([{ actorName: 'admin@example.com', via: 'cookie' }]);
    expect(JSON.stringify([records, answer.one_time_password])).not.toContain('hush');
    if (answer.one_time_password) {
      expect(JSON.stringify(records)).not.toContain(answer.one_time_password);
    }
  });
});

describe('a change that users make as well', () => {
  const actionOf = async (method: string, wanted: Sent) =>
    (await recorded(method, wanted)).map(({ action }) => action);

  it('is on record for access tokens, without the token', async () => {
    const body = { name: 'ci', scopes: ['dispatch:read'] };
    const { records, answer } = await sent('POST', { path: '/api/v1/auth/tokens', body });
    expect(records).toMatchObject([{ action: 'access_token.created', details: { name: 'ci' } }]);
    expect(JSON.stringify(records)).not.toContain(answer.token);
    expect(await actionOf('DELETE', { path: `/api/v1/auth/tokens/${answer.id}` })).toEqual([
      'access_token.deleted',
    ]);
  });

  it('is on record for webhooks, without their secret and the path of their address', async () => {
    const body = { url: 'https://example.org/hooks/hush' };
    const { records, answer } = await sent('POST', { path: '/api/webhooks', body });
    expect(records).toMatchObject([{ action: 'webhook.created', details: { host: 'example.org' } }]);
    expect(JSON.stringify(records)).not.toContain('hush');
    expect(JSON.stringify(records)).not.toContain(answer.data.secret);
    const path = `/api/webhooks/${answer.data.id}`;
    expect(await actionOf('PUT', { path, body: { enabled: false } })).toEqual(['webhook.changed']);
    expect(await actionOf('DELETE', { path })).toEqual(['webhook.deleted']);
  });

  it('is on record for a new account, a new address and a new password', async () => {
    const session = await HttpSession.register(gateway.url, { email: 'eve@example.com', password });
    await session.post('/api/v1/auth/change-password', {
      current_password: password,
      new_password: 'another horse battery',
      new_email: 'eva@example.com',
    });
    const { id } = await (
      await HttpSession.login(gateway.url, { email: 'eva@example.com', password: 'another horse battery' })
    ).get<{ id: string }>('/api/v1/auth/me');
    const records = await all(`target=user:${id}`);
    expect(records).toMatchObject([
      { action: 'user.password_changed', actor: id, details: { email: 'eva@example.com' } },
      { action: 'user.registered', actor: id, actorName: 'eve@example.com', via: 'password' },
    ]);
    expect(JSON.stringify(records)).not.toContain('horse');
  });

  it('is on record when an administrator cancels, repeats or deletes what is another user’s, and only then', async () => {
    const theirs = await user.submit({ workflow: anyWorkflow });
    const file = await user.upload('a.png', Buffer.from('x'));
    const own = await admin.submit({ workflow: anyWorkflow });
    const task = `/api/tasks/${theirs.id}`;
    expect(await actionOf('POST', { path: `${task}/retry` })).toEqual(['task.retried']);
    expect(await actionOf('DELETE', { path: task })).toEqual(['task.cancelled']);
    expect(await actionOf('DELETE', { path: `/api/files/${file.fileId}` })).toEqual(['file.deleted']);
    expect(await actionOf('DELETE', { path: `/api/tasks/${own.id}` })).toEqual([]);
    await user.call('POST', `${task}/retry`);
    expect(await all(`actor=${theirs.owner}&action=task.retried`)).toEqual([]);
  });

  it('leaves no record when it fails', async () => {
    const before = (await all()).length;
    const body = { servers: [{ ...servers[0], kind: 'toaster' }], healthCheck: { interval: 60 } };
    expect((await admin.request('PUT', '/api/config', { body })).status).toBe(422);
    const missing = await admin.request('PUT', '/api/instances/127.0.0.1:8', { body: { enabled: false } });
    expect(missing.status).toBe(404);
    expect((await all()).length).toBe(before);
  });
});

describe('the record', () => {
  it('is read a page at a time by administrators alone, and changed by no route', async () => {
    const first = (await admin.call('GET', '/api/audit?limit=2')).data;
    const second = (await admin.call('GET', `/api/audit?limit=2&cursor=${first.nextCursor}`)).data;
    const ids = [...first.items, ...second.items].map(({ id }) => id);
    expect([...ids].sort().reverse()).toEqual(ids);
    expect(new Set(ids).size).toBe(4);
    expect((await admin.call('GET', '/api/audit?action=no.such')).data).toEqual({
      items: [],
      nextCursor: null,
    });
    expect((await user.request('GET', '/api/audit')).status).toBe(403);
    const misspelt = await admin.request('GET', '/api/audit?actr=x');
    expect(misspelt.status).toBe(422);
    expect(JSON.stringify(misspelt.body)).toContain('actor');
    expect(Object.keys(document.paths['/api/audit'] ?? {})).toEqual(['get']);
    expect(Object.keys(document.paths).filter((path) => path.startsWith('/api/audit'))).toHaveLength(1);
  });

  it('names what a change of the settings did, without headers', async () => {
    const changed = [{ ...servers[0], name: 'T', headers: { authorization: 'hush' } }];
    await sent('PUT', {
      path: '/api/config',
      body: {
        servers: [...changed, { ...servers[0], id: 'u', instances: [] }],
        healthCheck: { interval: 9 },
      },
    });
    const [record] = await all('action=settings.replaced');
    expect(record?.details).toMatchObject({
      serversAdded: ['u'],
      serversChanged: ['s'],
      serversRemoved: [],
      healthCheckChanged: true,
    });
    expect(JSON.stringify(record)).not.toContain('hush');
  });
});
