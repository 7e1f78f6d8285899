import { Client } from '@langchain/langgraph-sdk';
import { describe, expect, it } from 'vitest';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { customAuthGateway } from './support/custom-auth-gateway.ts';
import { newName } from './support/custom-callers.ts';
import { wasDue } from './support/was-due.ts';

/** Crons of callers whom the `auth` of langgraph.json lets in. */

const { running, as, projects, askedAbout: askedAt, accountChanger } = customAuthGateway();

const daily = { assistant_id: 'whoami', schedule: '0 9 * * *', input: {}, on_run_completed: 'keep' };
const make = (caller: ConversationCaller, more: object = {}) =>
  caller.ok('POST', '/runs/crons', { ...daily, ...more });

async function askedAbout(name: string): Promise<string[]> {
  return (await askedAt(name)).filter((kind) => !kind.startsWith('authenticate'));
}

/** Its moment has come. A new cron of somebody else makes the gateway look at the clock again. */
async function comes(cronId: string): Promise<void> {
  await wasDue(cronId, { gateway: running(), dueAt: new Date().toISOString() });
  const waker = as(newName());
  const { cron_id } = await make(waker);
  await waker.call('DELETE', `/runs/crons/${cron_id}`);
}

const threadsOf = (caller: ConversationCaller, cronId: string) =>
  caller.ok('POST', '/threads/search', { metadata: { cron_id: cronId } });

/** What the graph of a cron has noted in so many runs of it, the newest first. */
async function seenBy(caller: ConversationCaller, cronId: string, runs: number) {
  await expect
    .poll(async () => (await threadsOf(caller, cronId)).map(({ status }: { status: string }) => status))
    .toEqual(Array.from({ length: runs }, () => 'idle'));
  return Promise.all(
    (await threadsOf(caller, cronId)).map(
      async ({ thread_id }: { thread_id: string }) =>
        (await caller.ok('GET', `/threads/${thread_id}/state`)).values.seen[0],
    ),
  );
}

async function historyOf(cronId: string) {
  return running()
    .context.database.read.selectFrom('schedule_runs' as never)
    .selectAll()
    .where('schedule_id' as never, '=', cronId as never)
    .execute();
}

describe('crons of an identity', () => {
  it('serve the official client', async () => {
    const client = new Client({ apiUrl: `${running().url}/api/langgraph`, apiKey: newName() });
    const { cron_id } = await client.crons.create('whoami', { schedule: '0 9 * * *', input: {} });

    await client.crons.update(cron_id, { schedule: '30 9 * * *' });
    expect(await client.crons.search()).toMatchObject([{ cron_id, schedule: '30 9 * * *' }]);
    expect(await client.crons.count()).toBe(1);
    await client.crons.delete(cron_id);
    expect(await client.crons.count()).toBe(0);
  });

  it('ask the handler of each action, and about their runs when they are made and changed', async () => {
    const name = newName();
    const caller = as(name);
    const { cron_id } = await make(caller);
    await caller.ok('POST', '/runs/crons/search', {});
    await caller.ok('POST', '/runs/crons/count', {});
    await caller.ok('PATCH', `/runs/crons/${cron_id}`, { schedule: '30 9 * * *' });
    await caller.ok('PATCH', `/runs/crons/${cron_id}`, { enabled: false });
    await caller.call('DELETE', `/runs/crons/${cron_id}`);

    expect(await askedAbout(name)).toEqual([
      'crons:create',
      'threads:create_run',
      'crons:search',
      'crons:search',
      'crons:update',
      'threads:create_run',
      'crons:update',
      'crons:delete',
    ]);
  });

  it('run under the account of the identity, as the user that was stored with them', async () => {
    const { whole, own, name } = projects();
    const forged = { identity: 'root', permissions: ['all'] };
    const { cron_id } = await make(own, {
      metadata: { project: 'y', topic: 'news' },
      config: { configurable: { langgraph_auth_user: forged, langgraph_auth_user_id: 'root' } },
    });
    const asked = await askedAbout(name);
    await comes(cron_id);

    const user = {
      identity: name,
      display_name: name,
      permissions: ['paint'],
      teams: ['blue'],
      project: 'x',
    };
    expect(await seenBy(own, cron_id, 1)).toEqual([
      { user: { ...user, is_authenticated: true }, id: name, permissions: ['paint'] },
    ]);
    const [{ metadata }] = await threadsOf(whole, cron_id);
    expect(metadata).toMatchObject({ project: 'x', topic: 'news', stamped: 'threads:create_run' });
    expect((await askedAbout(name)).filter((kind) => /create_run|crons/.test(kind))).toEqual(asked);
  });

  it('run as the user of their latest change, whom no answer shows', async () => {
    const { whole, own } = projects();
    const { cron_id } = await make(own);
    const changed = await whole.ok('PATCH', `/runs/crons/${cron_id}`, { end_time: null });
    await comes(cron_id);

    const [seen] = await seenBy(whole, cron_id, 1);
    expect(seen.user).not.toHaveProperty('project');
    expect(JSON.stringify(changed)).not.toContain('teams');
  });

  it('rest while the account is disabled', async () => {
    const caller = as(newName());
    const { cron_id, user_id } = await make(caller);
    const send = await accountChanger();
    expect((await send(user_id, 'PATCH', { body: { disabled: true } })).status).toBe(200);
    await comes(cron_id);

    await expect.poll(() => historyOf(cron_id)).toMatchObject([{ status: 'skipped' }]);
    expect((await send(user_id, 'PATCH', { body: { disabled: false } })).status).toBe(200);
    expect(await threadsOf(caller, cron_id)).toEqual([]);
  });
});

describe('a cron of somebody else', () => {
  it('is hidden from another identity, and so is a thread that a cron could run in', async () => {
    const [ada, bob] = [as(newName()), as(newName())];
    const { cron_id } = await make(ada);
    const threadId = await ada.thread();

    for (const [method, path, body] of [
      ['PATCH', `/runs/crons/${cron_id}`, { enabled: false }],
      ['PATCH', `/runs/crons/${cron_id}`, { input: { question: 'mine?' } }],
      ['DELETE', `/runs/crons/${cron_id}`],
      ['POST', `/threads/${threadId}/runs/crons`, daily],
      ['POST', '/runs/crons', { ...daily, config: { configurable: { thread_id: threadId } } }],
    ] as const) {
      const answer = await bob.call(method, path, body && { body });
      expect({ method, path, status: answer.status }).toEqual({ method, path, status: 404 });
    }
    expect(await bob.ok('POST', '/runs/crons/search', {})).toEqual([]);
    expect(await bob.ok('POST', '/runs/crons/count', {})).toBe(0);
    expect(await ada.ok('POST', '/runs/crons/search', {})).toMatchObject([{ cron_id, enabled: true }]);
  });

  it('is hidden by a filter of the handler from everything that finds or changes it', async () => {
    const { whole, own, other } = projects();
    const made = await make(own, { metadata: { project: 'y' } });
    expect(made.metadata.project).toBe('x');
    const threadId = await own.thread();
    const mine = await make(other);
    const inThread = { config: { configurable: { thread_id: threadId } } };

    for (const [method, path, body] of [
      ['PATCH', `/runs/crons/${made.cron_id}`, { metadata: { project: 'y' } }],
      ['PATCH', `/runs/crons/${made.cron_id}`, { enabled: false }],
      ['DELETE', `/runs/crons/${made.cron_id}`],
      ['POST', `/threads/${threadId}/runs/crons`, daily],
      ['POST', '/runs/crons', { ...daily, ...inThread }],
      ['PATCH', `/runs/crons/${mine.cron_id}`, inThread],
    ] as const) {
      const answer = await other.call(method, path, body && { body });
      expect({ method, path, status: answer.status }).toEqual({ method, path, status: 404 });
    }
    const ids = async (caller: ConversationCaller, body: object = {}) =>
      (await caller.ok('POST', '/runs/crons/search', body)).map(({ cron_id }: typeof made) => cron_id);
    expect(await ids(other)).toEqual([mine.cron_id]);
    expect(await ids(other, { metadata: { project: 'x' } })).toEqual([]);
    expect(await other.ok('POST', '/runs/crons/count', { metadata: { project: 'x' } })).toBe(0);
    expect(await ids(own, { metadata: { stamped: 'threads:create_run' } })).toEqual([made.cron_id]);
    expect(await whole.ok('POST', '/runs/crons/count', {})).toBe(2);
  });
});

describe('a handler', () => {
  it.each([
    ['guest', 403],
    ['failing', 500],
  ])('that refuses or fails lets no cron pass: %s is %i', async (name, status) => {
    const caller = as(name);
    for (const [method, path, body] of [
      ['POST', '/runs/crons', daily],
      ['POST', '/runs/crons/search', {}],
      ['POST', '/runs/crons/count', {}],
      ['PATCH', '/runs/crons/x', { enabled: false }],
      ['DELETE', '/runs/crons/x'],
    ] as const)
      expect((await caller.call(method, path, body && { body })).status).toBe(status);
    const userId = (await caller.get('/who')).body.user;
    const { database } = running().context;
    const rows = database.read
      .selectFrom('schedules' as never)
      .where('user_id' as never, '=', userId as never);
    expect(await rows.selectAll().execute()).toEqual([]);
  });

  it('that allows no such run allows no cron of it, neither new nor by a change', async () => {
    const caller = as(newName());
    const forbidden = { input: { question: 'forbidden' } };
    expect((await caller.post('/runs/crons', { ...daily, ...forbidden })).status).toBe(403);
    expect(await caller.ok('POST', '/runs/crons/count', {})).toBe(0);

    const { cron_id } = await make(caller);
    expect((await caller.call('PATCH', `/runs/crons/${cron_id}`, { body: forbidden })).status).toBe(403);
    expect(await caller.ok('POST', '/runs/crons/search', {})).toMatchObject([{ payload: { input: {} } }]);
  });
});
