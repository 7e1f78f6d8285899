import { type FakeOpenAi, startFakeOpenAi } from '@switchyard/dev-env/fake-openai';
import { startGateway } from '@switchyard/dev-env/gateway';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { watchful } from './support/dispatch-pool.ts';

let provider: FakeOpenAi;
let server: ConversationGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
/** Numbers of ada, who has asked once and whose thread was deleted since. */
let run: { run_id: string; thread_id: string };

beforeAll(async () => {
  provider = await startFakeOpenAi(() => ({ text: 'Hello.', usage: { input: 1200, output: 34 } }));
  const pricing = { input_per_million: 3, output_per_million: 15, currency: 'EUR' };
  server = await startConversation({
    models: readModels({ fast: { base_url: provider.url, api_key: 'sk-1', model: 'gpt-fast', pricing } }),
    title: { enabled: false },
  });
  ({ ada, bob } = server);
  const thread = await ada.thread();
  await ada.wait(thread, { assistant_id: 'lead_agent', input: says('hi') });
  [run] = await ada.ok('GET', `/threads/${thread}/runs`);
});
afterAll(async () => {
  await server?.close();
  await provider?.close();
});

/** 1200 × 3 + 34 × 15 millionths. */
const cost = 0.00411;

describe('the console', () => {
  it('sums up what the runs of the caller have used and cost, by the prices of the configuration', async () => {
    expect(await ada.ok('GET', '/console/stats')).toEqual({
      total_runs: 1,
      active_runs: 0,
      failed_runs: 0,
      total_threads: 1,
      total_agents: 0,
      total_tokens: 1234,
      total_cost: cost,
      currency: 'EUR',
    });
    const usage = await ada.ok('GET', '/console/usage?days=2');
    expect(usage.days.map(({ runs, cost }: { runs: number; cost: number }) => [runs, cost])).toEqual([
      [0, 0],
      [1, cost],
    ]);
    expect(usage).toMatchObject({
      by_model: {
        fast: { tokens: 1234, input_tokens: 1200, output_tokens: 34, runs: 1, cost, currency: 'EUR' },
      },
      by_user: [{ user_id: ada.userId, email: 'ada@example.com', tokens: 1234, runs: 1, cost }],
      by_workflow: [],
      total_cost: cost,
      total_tasks: 0,
      unpriced_tokens: 0,
    });
  });

  it('lists runs of all threads with their costs, page by page and by status', async () => {
    const { runs, has_more } = await ada.ok('GET', '/console/runs');
    expect(has_more).toBe(false);
    expect(runs).toEqual([
      expect.objectContaining({
        run_id: run.run_id,
        thread_id: run.thread_id,
        user_id: ada.userId,
        status: 'success',
        model_name: 'fast',
        total_tokens: 1234,
        cost,
        currency: 'EUR',
        error: null,
      }),
    ]);
    expect(runs[0].duration_seconds).toBeGreaterThanOrEqual(0);
    expect((await ada.ok('GET', '/console/runs?offset=1')).runs).toEqual([]);
    expect((await ada.ok('GET', '/console/runs?status=error')).runs).toEqual([]);
    expect((await ada.ok('GET', '/console/runs?status=success')).runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({ input_tokens: 1200, output_tokens: 34, simulated: false });
    expect(runs[0].queue_seconds).toBeGreaterThanOrEqual(0);
  });

  it('shows nothing of it to other users', async () => {
    expect(await bob.ok('GET', '/console/stats')).toMatchObject({
      total_runs: 0,
      total_tokens: 0,
      total_cost: 0,
    });
    expect((await bob.ok('GET', '/console/runs')).runs).toEqual([]);
    expect(await bob.ok('GET', '/console/usage')).toMatchObject({ by_model: {}, by_user: [], total_runs: 0 });
  });

  it.each(['/console/stats', '/console/runs', '/console/usage'])(
    'shows %s of all users to administrators alone',
    async (path) => {
      const refused = await bob.get(`${path}?scope=all`);
      expect([refused.status, refused.body.detail]).toEqual([
        403,
        'Only administrators may see the numbers of all users. Leave scope out.',
      ]);
    },
  );

  it.each([
    '/console/runs?limit=0',
    '/console/runs?limit=101',
    '/console/runs?offset=-1',
    '/console/runs?offset=100001',
    '/console/runs?status=done',
    '/console/runs?cursor=%00',
    '/console/usage?days=0',
    '/console/usage?days=91',
    '/console/usage?days=1.5',
    '/console/usage?tz_offset_minutes=841',
    '/console/usage?tz_offset_minutes=-841',
    '/console/stats?scope=theirs',
  ])('refuses %s', async (path) => {
    expect((await ada.get(path)).status).toBe(422);
  });

  it('requires a signed-in user', async () => {
    for (const name of ['stats', 'runs', 'usage']) {
      expect((await server.gateway.fetch(`/api/console/${name}`)).status).toBe(401);
    }
  });

  it('still counts what was used in a deleted thread', async () => {
    await ada.ok('DELETE', `/threads/${run.thread_id}`);
    expect(await ada.ok('GET', '/console/stats')).toMatchObject({
      total_runs: 0,
      total_threads: 0,
      total_tokens: 1234,
      total_cost: cost,
    });
    expect((await ada.ok('GET', '/console/runs')).runs).toEqual([]);
    expect(await ada.ok('GET', '/console/usage')).toMatchObject({ total_runs: 1, total_cost: cost });
  });

  it('filters runs by agent, model and thread, and goes on after a page by its cursor', async () => {
    const thread = await bob.thread();
    const ask = () => bob.wait(thread, { assistant_id: 'lead_agent', input: says('hi') });
    await ask();
    const found = async (query: string) => (await bob.ok('GET', `/console/runs?${query}`)).runs.length;
    expect(await found(`agent=lead_agent&model=fast&thread_id=${thread}`)).toBe(1);
    expect(await found('agent=other')).toBe(0);
    expect(await found('model=slow')).toBe(0);
    expect(await found('thread_id=elsewhere')).toBe(0);
    await ask();
    const first = await bob.ok('GET', '/console/runs?limit=1');
    expect(first).toMatchObject({ has_more: true, next_cursor: expect.any(String) });
    const next = await bob.ok('GET', `/console/runs?limit=1&cursor=${first.next_cursor}`);
    expect(next).toMatchObject({ runs: [{ thread_id: thread }], has_more: false, next_cursor: null });
    expect(next.runs[0].run_id).not.toBe(first.runs[0].run_id);
    // A cursor is only a place in a list: it opens nothing of another user's.
    expect((await ada.ok('GET', `/console/runs?cursor=${first.next_cursor}`)).runs).toEqual([]);
    expect(await ada.ok('GET', `/console/runs?thread_id=${thread}`)).toMatchObject({ runs: [] });
  });
});

describe('the console of a gateway with a pool', () => {
  it('shows how long the workflows of agents took, and to administrators those of all users', async () => {
    const worker = await startReferenceWorker();
    const gateway = await startGateway({
      config: {
        database: { backend: 'sqlite' },
        conversation: { workflow_price_per_hour: 3600, workflow_price_currency: 'EUR' },
      },
      executionTimeouts: watchful,
    });
    const admin = await DispatchCaller.initialize(gateway.url);
    await admin.useWorkers([worker.port]);
    const users = await Promise.all(
      ['ada@example.com', 'bob@example.com'].map(async (email) => {
        const session = await gateway.register(email);
        const caller = await ConversationCaller.of(gateway.url, session);
        const thread = await caller.thread({ metadata: { title: 'secret' } });
        await caller.wait(thread, { assistant_id: 'lead_agent', input: says('invert a picture') });
        const { items } = (await (await DispatchCaller.login(gateway.url, email)).call('GET', '/api/tasks'))
          .data;
        return { caller, task: items[0] };
      }),
    );
    const secondsOf = ({ startedAt, finishedAt }: { startedAt: string; finishedAt: string }) =>
      (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;

    for (const { caller, task } of users) {
      const usage = await caller.ok('GET', '/console/usage?days=2');
      expect(usage.by_workflow).toEqual([
        {
          workflow: task.name,
          tasks: 1,
          failed_tasks: 0,
          task_seconds: expect.closeTo(secondsOf(task), 2),
          cost: expect.closeTo(secondsOf(task), 2),
        },
      ]);
      const work = { tasks: 1, task_seconds: expect.closeTo(secondsOf(task), 2) };
      const cost = expect.closeTo(secondsOf(task), 2);
      expect(usage.days[1]).toMatchObject({ ...work, worker_cost: cost });
      expect(usage.by_user).toMatchObject([{ user_id: caller.userId, ...work, worker_cost: cost }]);
      expect(usage.by_agent).toMatchObject([{ agent: 'lead_agent', runs: 1, ...work, worker_cost: cost }]);
      // The demo model has no price.
      expect(usage).toMatchObject({
        total_tasks: 1,
        total_cost: null,
        costs: {},
        total_worker_cost: cost,
        worker_currency: 'EUR',
        simulated_tokens: usage.total_tokens,
        by_model: { 'switchyard-demo': { simulated: true, cost: null } },
      });
    }

    const session = await HttpSession.login(gateway.url, {
      email: 'admin@example.com',
      password: 'correct horse battery',
    });
    const operator = await ConversationCaller.of(gateway.url, session, ['admin']);
    expect(await operator.ok('GET', '/console/usage')).toMatchObject({ total_runs: 0, total_tasks: 0 });
    const all = await operator.ok('GET', '/console/usage?scope=all');
    expect(all).toMatchObject({ total_runs: 2, total_tasks: 2 });
    expect(all.by_workflow).toMatchObject([{ workflow: users[0]?.task.name, tasks: 2 }]);
    expect(all.by_user.map(({ user_id }: { user_id: string }) => user_id).sort()).toEqual(
      users.map(({ caller }) => caller.userId).sort(),
    );
    expect(all.by_user.map(({ email }: { email: string }) => email).sort()).toEqual([
      'ada@example.com',
      'bob@example.com',
    ]);
    expect(await operator.ok('GET', '/console/stats?scope=all')).toMatchObject({
      total_runs: 2,
      total_threads: 2,
    });
    const { runs } = await operator.ok('GET', '/console/runs?scope=all');
    expect(runs).toHaveLength(2);
    expect(runs.map(({ thread_title }: { thread_title: string }) => thread_title)).toEqual([null, null]);
    const without = await ConversationCaller.of(gateway.url, session);
    expect((await without.get('/console/usage?scope=all')).status).toBe(403);

    await gateway.stop();
    await worker.close();
  });
});

it('has no summaries without a database that lasts', async () => {
  const gateway = await startGateway();
  const caller = await ConversationCaller.of(gateway.url, await gateway.register('ada@example.com'));
  for (const name of ['stats', 'runs', 'usage']) {
    const { status, body } = await caller.get(`/console/${name}`);
    expect([status, body.detail]).toEqual([
      503,
      'Summaries need a database. Set database.backend to sqlite or postgres.',
    ]);
  }
  await gateway.stop();
});
