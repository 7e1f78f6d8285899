import { startGateway } from '@switchyard/dev-env/gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import {
  type ConversationGateway,
  fixtureAgents,
  startConversation,
} from './support/conversation-gateway.ts';
import { wasDue } from './support/was-due.ts';

/** Scheduled tasks as DeerFlow's page uses them, and crons as LangGraph clients do. */

let server: ConversationGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;

beforeAll(async () => {
  server = await startConversation();
  ({ ada, bob } = server);
});
afterAll(() => server.close());

const hourly = {
  title: 'News',
  prompt: 'hello',
  schedule_type: 'cron',
  schedule_spec: { cron: '0 * * * *' },
  timezone: 'Europe/Berlin',
  assistant_id: 'chat',
};
const newTask = (more: object = {}) => ada.ok('POST', '/scheduled-tasks', { ...hourly, ...more });
const historyOf = (id: string) => ada.ok('GET', `/scheduled-tasks/${id}/runs`);
const ended = (id: string) =>
  expect
    .poll(async () => (await historyOf(id)).map(({ status }: { status: string }) => status))
    .not.toContainEqual(expect.stringMatching(/queued|running/));

/** Its moment has come. A new schedule makes the gateway look at the clock again, as the time itself would. */
async function comes(id: string): Promise<void> {
  await wasDue(id, { gateway: server.gateway, dueAt: new Date().toISOString() });
  const { id: other } = await newTask();
  await ada.ok('DELETE', `/scheduled-tasks/${other}`);
}

describe('a scheduled task', () => {
  it('is made, listed, read, changed, paused, resumed and deleted', async () => {
    const task = await newTask();
    expect(task).toEqual({
      id: expect.any(String),
      user_id: ada.userId,
      thread_id: null,
      context_mode: 'fresh_thread_per_run',
      assistant_id: 'chat',
      title: 'News',
      prompt: 'hello',
      schedule_type: 'cron',
      schedule_spec: { cron: '0 * * * *' },
      timezone: 'Europe/Berlin',
      status: 'enabled',
      overlap_policy: 'skip',
      next_run_at: expect.stringMatching(/:00:00\.000Z$/),
      last_run_at: null,
      last_run_id: null,
      last_thread_id: null,
      last_error: null,
      lease_owner: null,
      lease_expires_at: null,
      run_count: 0,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const path = `/scheduled-tasks/${task.id}`;
    expect(await ada.ok('GET', path)).toEqual(task);
    expect(await ada.ok('GET', '/scheduled-tasks')).toContainEqual(task);
    expect(await bob.ok('GET', '/scheduled-tasks')).toEqual([]);
    const changed = await ada.ok('PATCH', path, { title: 'Old news', prompt: null });
    expect(changed).toMatchObject({ title: 'Old news', prompt: 'hello', next_run_at: task.next_run_at });
    expect(await ada.ok('POST', `${path}/pause`)).toMatchObject({ status: 'paused' });
    expect(await ada.ok('POST', `${path}/resume`)).toMatchObject({ status: 'enabled' });
    expect(await ada.ok('DELETE', path)).toEqual({ id: task.id, deleted: true });
    expect(await ada.get(path)).toMatchObject({ status: 404, body: { detail: 'Scheduled task not found' } });
  });

  it('runs in a new thread of its owner when its moment comes', async () => {
    const { id } = await newTask();
    await comes(id);
    await ended(id);
    const [moment] = await historyOf(id);
    expect(moment).toMatchObject({ task_id: id, trigger: 'scheduled', status: 'success', error: null });
    expect(await ada.ok('GET', `/threads/${moment.thread_id}/runs/${moment.run_id}`)).toMatchObject({
      status: 'success',
      metadata: { scheduled_task_id: id, scheduled_task_run_id: moment.id, scheduled_trigger: 'scheduled' },
    });
    expect(await ada.ok('GET', `/scheduled-tasks/${id}`)).toMatchObject({
      status: 'enabled',
      run_count: 1,
      last_thread_id: moment.thread_id,
      last_run_id: moment.run_id,
    });
    expect((await bob.get(`/threads/${moment.thread_id}`)).status).toBe(404);
  });

  it('runs now in the thread that it names, and not twice at once', async () => {
    const gate = closeGate('schedules');
    const thread_id = await ada.thread();
    const { id } = await newTask({
      context_mode: 'reuse_thread',
      thread_id,
      prompt: 'count to 2 at gate schedules before 1',
    });
    expect(await ada.ok('GET', `/threads/${thread_id}/scheduled-tasks`)).toMatchObject([{ id }]);
    expect(await ada.ok('POST', `/scheduled-tasks/${id}/trigger`)).toEqual({ id, triggered: true });
    await gate.reached;
    expect(await ada.post(`/scheduled-tasks/${id}/trigger`)).toMatchObject({
      status: 409,
      body: { detail: 'task already has an active run' },
    });
    gate.open();
    await ended(id);
    expect(await historyOf(id)).toMatchObject([{ trigger: 'manual', status: 'success', thread_id }]);
  });

  it('says why its run could not begin, and rests when its thread is deleted', async () => {
    const thread_id = await ada.thread();
    const { id } = await newTask({ context_mode: 'reuse_thread', thread_id });
    await ada.ok('DELETE', `/threads/${thread_id}`);
    expect(await ada.ok('GET', `/scheduled-tasks/${id}`)).toMatchObject({
      status: 'paused',
      last_error: 'Its thread was deleted. Give it another one, or a fresh thread for each run.',
    });
    await ada.ok('POST', `/scheduled-tasks/${id}/trigger`);
    await ended(id);
    expect(await historyOf(id)).toMatchObject([{ status: 'failed', error: `Thread ${thread_id} not found` }]);
  });

  it.each([
    [{ thread_id: 'of-no-one', context_mode: 'reuse_thread' }, 404],
    [{ assistant_id: 'unknown-agent' }, 404],
    [{ timezone: 'Mars/Base' }, 422],
    [{ title: '' }, 422],
    [{ schedule_type: undefined }, 422],
    [{ prompt: 'x'.repeat(100_001) }, 422],
    [{ prompt: 'x'.repeat(600_000) }, 413],
  ])('is refused with %j', async (more, status) => {
    expect((await ada.post('/scheduled-tasks', { ...hourly, ...more })).status).toBe(status);
  });

  it('starts nothing while the account of its owner is locked', async () => {
    const root = await server.gateway.fetch('/api/v1/auth/initialize', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'root@example.com', password: 'correct horse battery' }),
    });
    const cookies = root.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    const csrf =
      cookies.find((cookie) => cookie?.startsWith('csrf_token='))?.slice('csrf_token='.length) ?? '';
    const carol = await server.newUser('carol@example.com');
    const { id } = await carol.ok('POST', '/scheduled-tasks', hourly);
    const lock = (disabled: boolean) =>
      server.gateway.fetch(`/api/v1/users/${carol.userId}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', cookie: cookies.join('; '), 'x-csrf-token': csrf },
        body: JSON.stringify({ disabled }),
      });
    expect((await lock(true)).status).toBe(200);
    await comes(id);
    const rows = () =>
      server.gateway.context.database.read
        .selectFrom('schedule_runs' as never)
        .selectAll()
        .where('schedule_id' as never, '=', id as never)
        .execute();
    await expect.poll(rows).toMatchObject([{ status: 'skipped' }]);
    expect((await lock(false)).status).toBe(200);
    expect(await carol.ok('POST', '/threads/search', {})).toEqual([]);
  });
});

it('a moment that passed while the gateway was down comes once, when it is up again', async () => {
  const home = temporaryFolder();
  const options = {
    home: home.path,
    config: { database: { backend: 'sqlite' as const }, agents: fixtureAgents },
  };
  const before = await startGateway(options);
  const dora = await ConversationCaller.of(before.url, await before.register('dora@example.com'));
  const { id } = await dora.ok('POST', '/scheduled-tasks', { ...hourly, timezone: 'UTC' });
  const dueAt = '2026-01-01T00:00:00.000Z';
  await wasDue(id, { gateway: before, dueAt });
  await before.stop();
  const after = await startGateway(options);
  const again = dora.atReplica(after.url);
  await expect
    .poll(async () => again.ok('GET', `/scheduled-tasks/${id}/runs`))
    .toMatchObject([{ scheduled_for: dueAt, status: 'success' }]);
  const { next_run_at, run_count } = await again.ok('GET', `/scheduled-tasks/${id}`);
  expect([Date.parse(next_run_at) > Date.now(), run_count]).toEqual([true, 1]);
  await after.stop();
  home.remove();
});

describe.each(['/api', '/api/langgraph'] as const)('crons at %s', (mount) => {
  const cron = { assistant_id: 'chat', schedule: '*/5 * * * *', input: says('tick') };
  const make = (more: object = {}, path = '/runs/crons') =>
    ada.at(mount).ok('POST', path, { ...cron, ...more });

  it('are rows of the scheduled tasks, and scheduled tasks are crons', async () => {
    const word = `of ${mount}`;
    const made = await make({
      metadata: { word, title: 'Ticks' },
      end_time: '2999-01-01',
      timezone: 'Asia/Tokyo',
    });
    expect(made).toMatchObject({
      assistant_id: 'chat',
      thread_id: null,
      on_run_completed: 'delete',
      end_time: '2999-01-01T00:00:00.000Z',
      schedule: '*/5 * * * *',
      timezone: 'Asia/Tokyo',
      user_id: ada.userId,
      payload: { assistant_id: 'chat', input: says('tick') },
      metadata: { word },
      enabled: true,
    });
    expect(await ada.ok('GET', `/scheduled-tasks/${made.cron_id}`)).toMatchObject({
      title: 'Ticks',
      prompt: 'tick',
      schedule_spec: { cron: '*/5 * * * *' },
    });
    const { id } = await newTask({ title: word });
    const found = await ada.at(mount).ok('POST', '/runs/crons/search', { limit: 100, select: ['cron_id'] });
    expect(found).toEqual(expect.arrayContaining([{ cron_id: id }, { cron_id: made.cron_id }]));
    expect(await ada.at(mount).ok('POST', '/runs/crons/search', { metadata: { word } })).toEqual([made]);
    expect(await ada.at(mount).ok('POST', '/runs/crons/count', { metadata: { word } })).toBe(1);
    expect(await bob.at(mount).ok('POST', '/runs/crons/count', {})).toBe(0);
  });

  it('change, rest and go', async () => {
    const { cron_id } = await make({ end_time: '2999-01-01' });
    const path = `/runs/crons/${cron_id}`;
    const rests = await ada.at(mount).ok('PATCH', path, { enabled: false, metadata: { a: 1 } });
    expect(rests).toMatchObject({ enabled: false, next_run_date: null, metadata: { a: 1 } });
    const changed = await ada
      .at(mount)
      .ok('PATCH', path, { enabled: true, schedule: '0 0 1 1 *', end_time: null, input: says('tock') });
    expect(changed).toMatchObject({
      enabled: true,
      schedule: '0 0 1 1 *',
      end_time: null,
      next_run_date: expect.stringMatching(/-01-01T00:00:00/),
      payload: { input: says('tock') },
    });
    expect((await ada.at(mount).call('PATCH', path, { body: { schedule: 'never' } })).status).toBe(422);
    expect((await bob.at(mount).call('PATCH', path, { body: { enabled: false } })).status).toBe(404);
    expect((await ada.at(mount).call('DELETE', path)).status).toBe(204);
    expect((await ada.at(mount).call('DELETE', path)).status).toBe(404);
  });

  it.each(['delete', 'keep'] as const)(
    '%s the thread of a run when it has ended',
    async (on_run_completed) => {
      const { cron_id } = await make({ on_run_completed });
      await comes(cron_id);
      await ended(cron_id);
      const [{ status, thread_id }] = await historyOf(cron_id);
      expect(status).toBe('success');
      await expect
        .poll(async () => (await ada.get(`/threads/${thread_id}`)).status)
        .toBe(on_run_completed === 'keep' ? 200 : 404);
    },
  );

  it('run in one thread, with what they ask', async () => {
    const thread = await ada.thread();
    const made = await make({ metadata: { of: 'thread' } }, `/threads/${thread}/runs/crons`);
    expect(made).toMatchObject({ thread_id: thread });
    expect(made).not.toHaveProperty('on_run_completed');
    await comes(made.cron_id);
    await ended(made.cron_id);
    expect(await ada.ok('GET', `/threads/${thread}/runs`)).toMatchObject([
      { status: 'success', metadata: { of: 'thread', cron_id: made.cron_id } },
    ]);
    expect((await bob.at(mount).post(`/threads/${thread}/runs/crons`, cron)).status).toBe(404);
  });

  it('that ended before their first run do not begin', async () => {
    expect(await make({ end_time: '2020-01-01T00:00:00Z' })).toMatchObject({ enabled: false });
  });

  it('are refused when a run of theirs would be', async () => {
    const refused = { ...cron, webhook: 'http://127.0.0.1:1/x' };
    expect((await ada.at(mount).post('/runs/crons', refused)).status).toBe(422);
    expect((await ada.at(mount).post('/runs/crons', { ...cron, assistant_id: 'none' })).status).toBe(404);
  });
});
