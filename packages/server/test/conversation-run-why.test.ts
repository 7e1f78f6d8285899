import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, startPool } from './support/dispatch-pool.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ada = server.ada;
});
afterAll(() => server.close());

const steps = (name: string, requested: object = {}) => ({
  assistant_id: 'steps',
  input: { name },
  ...requested,
});
const pathOf = (threadId: string, runId: string) => `/threads/${threadId}/runs/${runId}/why`;
const whyOf = (threadId: string, runId: string) => ada.ok('GET', pathOf(threadId, runId));

describe('why a run waits', () => {
  it('is its turn in the line of its thread, which agrees with the rows and with what begins next', async () => {
    const gate = closeGate('turn:second');
    const threadId = await ada.thread();
    const { run_id: first } = await ada.run(threadId, steps('turn'));
    await gate.reached;
    const { run_id: second } = await ada.run(threadId, steps('b'));
    const { run_id: third } = await ada.run(threadId, steps('c'));
    const open = await ada.ok('GET', `/threads/${threadId}/runs?status=pending`);
    expect(open.map(({ run_id }: { run_id: string }) => run_id)).toEqual([third, second]);
    expect(await whyOf(threadId, first)).toMatchObject({
      waits_for: null,
      position: null,
      status: 'running',
    });
    expect(await whyOf(threadId, second)).toMatchObject({
      waits_for: 'turn',
      position: 2,
      ahead: 1,
      waiting: '1 run of its thread goes before it.',
    });
    expect(await whyOf(threadId, third)).toMatchObject({ waits_for: 'turn', position: 3, ahead: 2 });
    gate.open();
    const ended = await ada.ended(threadId, third);
    expect(await whyOf(threadId, third)).toMatchObject({
      status: 'success',
      waits_for: null,
      waiting: expect.stringMatching(/^It does not wait: it ended as success at /),
    });
    expect(ended.status).toBe('success');
  });

  it('is the time at which it is to start', async () => {
    const threadId = await ada.thread();
    const { run_id } = await ada.run(threadId, steps('later', { after_seconds: 3_600 }));
    const why = await whyOf(threadId, run_id);
    expect(why).toMatchObject({ waits_for: 'time', ahead: 0, status: 'pending' });
    expect(why.waiting).toBe(`It starts no earlier than ${why.starts_at}.`);
    await ada.ok('POST', `/threads/${threadId}/runs/${run_id}/cancel`);
  });

  it('is the answer of a human once it has asked for one, and nothing after that', async () => {
    const threadId = await ada.thread();
    const { run_id } = await ada.run(threadId, { assistant_id: 'approval', input: { plan: 'sail' } });
    await ada.ended(threadId, run_id);
    expect(await whyOf(threadId, run_id)).toMatchObject({ status: 'success', waits_for: 'human' });
    const next = await ada.run(threadId, { assistant_id: 'approval', command: { resume: 'yes' } });
    await ada.ended(threadId, next.run_id);
    expect(await whyOf(threadId, run_id)).toMatchObject({ waits_for: null });
  });

  it('is answered to its owner alone, on both mounts, and names an unknown field', async () => {
    const threadId = await ada.thread();
    const { run_id } = await ada.run(threadId, steps('owner'));
    await ada.ended(threadId, run_id);
    const path = pathOf(threadId, run_id);
    expect(await server.bob.get(path)).toMatchObject({ status: 404, body: { detail: expect.any(String) } });
    expect(await ada.get(pathOf(threadId, 'nothing'))).toMatchObject({ status: 404 });
    expect(await ada.at('/api/langgraph').get(path)).toMatchObject({ status: 200 });
    expect(await ada.get(`${path}?wiat=1`)).toMatchObject({ status: 422 });
  });

  it('is the pool while a task of it waits for a worker, with the reason of the task', async () => {
    const pool = await startPool();
    try {
      const carl = await ConversationCaller.of(
        pool.gateway.url,
        await pool.gateway.register('carl@example.com'),
      );
      await pool.admin.call('POST', '/api/queue/pause', { scope: 'all', reason: 'New drivers' });
      const saved = { name: 'Plain ground', workflow: anyWorkflow, exposed: true };
      const inDispatch = await DispatchCaller.login(pool.gateway.url, 'carl@example.com');
      await inDispatch.call('POST', '/api/workflows', saved);
      const threadId = await carl.thread();
      const input = says('run plain ground');
      const { run_id } = await carl.run(threadId, { assistant_id: 'lead_agent', input });
      const why = await carl.until(
        () => carl.ok('GET', pathOf(threadId, run_id)),
        ({ waits_for }) => waits_for === 'pool',
      );
      const { items } = (await pool.admin.call('GET', '/api/tasks?status=pending')).data;
      expect(why.tasks).toEqual([{ task_id: items[0].id, waiting: items[0].waiting }]);
      expect(why.waiting).toContain('paused by an administrator: New drivers');
      await pool.admin.call('POST', '/api/queue/resume', { scope: 'all' });
      await carl.ended(threadId, run_id);
      expect(await carl.ok('GET', pathOf(threadId, run_id))).toMatchObject({ waits_for: null, tasks: [] });
    } finally {
      await pool.close();
    }
  });
});
