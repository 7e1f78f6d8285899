import { afterEach, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, held, startPool, watchful } from './support/dispatch-pool.ts';

interface Event {
  id: string;
  kind: string;
  message: string;
  sentences: { code: string; values: object }[];
  taskId: string | null;
  attempt: number | null;
}

describe('what happened to an instance', () => {
  let pool: DispatchPool;

  afterEach(() => pool.close());

  const pathOf = (index = 0) => `/api/instances/127.0.0.1:${pool.workers[index]?.port}`;
  /** Empty while the event is being written and the instance has already gone. */
  const eventsOf = async (caller: DispatchCaller, index = 0): Promise<Event[]> =>
    (await caller.call('GET', `${pathOf(index)}/events?limit=200`)).data?.items ?? [];
  const untilKinds = (wanted: string[]): Promise<Event[]> =>
    pool.admin.until(
      () => eventsOf(pool.admin),
      (events) => wanted.every((kind) => events.some((event) => event.kind === kind)),
    );
  const executing = (taskId: string) =>
    pool.user.until(
      () => pool.user.task(taskId),
      ({ phase }) => phase === 'executing',
    );

  it('includes that it was added, that it answers and what it can run', async () => {
    pool = await startPool();
    const events = await untilKinds(['added', 'up', 'capabilities_changed']);
    expect(events.find(({ kind }) => kind === 'up')?.message).toMatch(/^It answers: version /);
  });

  it('names a lost task to its owner and to administrators; other users read only that one was lost', async () => {
    pool = await startPool({ workers: [held], executionTimeouts: { ...watchful, lostMs: 500 } });
    const task = await pool.user.submit({ workflow: anyWorkflow });
    await executing(task.id);
    pool.workers[0]?.restart();
    const events = await untilKinds(['restarted', 'lost', 'queued_again']);
    const lost = events.find(({ kind }) => kind === 'lost');
    expect(lost).toMatchObject({ taskId: task.id, attempt: 1, message: expect.stringMatching(/^lost: /) });
    expect(lost?.sentences[0]).toEqual({ code: 'task_error', values: { error: 'lost' } });
    expect((await eventsOf(pool.user)).find(({ kind }) => kind === 'lost')).toEqual(lost);
    const other = await DispatchCaller.register(pool.gateway.url, 'other@example.com');
    const seen = await other.call('GET', `${pathOf()}/events`);
    expect(JSON.stringify(seen)).not.toContain(task.id);
    expect(seen.data.items.find(({ kind }: Event) => kind === 'lost')).toMatchObject({
      taskId: null,
      attempt: null,
      message: 'A task was lost on an instance.',
      sentences: [{ code: 'event_lost', values: {} }],
    });
  });

  it('includes why an attempt failed, and nothing about a cancelled one', async () => {
    pool = await startPool({ workers: [held] });
    const cancelled = await pool.user.submit({ workflow: anyWorkflow });
    await executing(cancelled.id);
    await pool.user.call('DELETE', `/api/tasks/${cancelled.id}`);
    await pool.user.ended(cancelled.id);
    const [worker] = pool.workers;
    if (worker) worker.behaviour = { ...worker.behaviour, trouble: 'refuse' };
    const refused = await pool.user.submit({ workflow: anyWorkflow });
    const { error } = await pool.user.ended(refused.id);
    const events = await untilKinds(['failed']);
    expect(events.filter(({ taskId }) => taskId !== null)).toEqual([
      expect.objectContaining({ taskId: refused.id, message: `${error.code}: ${error.message}` }),
    ]);
  });

  it('includes that it drains, has drained and is enabled again', async () => {
    pool = await startPool({ workers: [held] });
    const task = await pool.user.submit({ workflow: anyWorkflow });
    await executing(task.id);
    await pool.admin.call('PUT', pathOf(), { enabled: false });
    pool.workers[0]?.finishRun();
    await pool.user.ended(task.id);
    await untilKinds(['draining', 'drained']);
    await pool.admin.call('PUT', pathOf(), { enabled: true });
    const kinds = (await untilKinds(['enabled'])).map(({ kind }) => kind);
    expect(kinds.slice(0, 3)).toEqual(['enabled', 'drained', 'draining']);
  });

  it('can be read after the instance was removed, and is 404 for one that never was', async () => {
    pool = await startPool({ workers: [{}, {}] });
    await pool.admin.useWorkers([pool.workers[1]?.port ?? 0]);
    await untilKinds(['removed']);
    expect((await pool.admin.request('GET', pathOf())).status).toBe(404);
    const answer = await pool.user.request('GET', '/api/instances/10.0.0.1:1/events');
    expect([answer.status, answer.body.error]).toEqual([404, 'instance_not_found']);
  });

  it('is read page by page, the newest first', async () => {
    pool = await startPool();
    await untilKinds(['added', 'up', 'capabilities_changed']);
    const all = await eventsOf(pool.user);
    const paged: Event[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = cursor === '' ? '' : `&cursor=${cursor}`;
      const { data } = await pool.user.call('GET', `${pathOf()}/events?limit=1${query}`);
      paged.push(...data.items);
      cursor = data.nextCursor;
    }
    expect(paged).toEqual(all);
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    for (const query of ['limit=201', 'limit=0', 'cursor=x'])
      expect((await pool.user.request('GET', `${pathOf()}/events?${query}`)).status).toBe(422);
  });

  it('is counted by instance in the metrics, and removed there with the instance', async () => {
    pool = await startPool({ workers: [{}, {}] });
    const metrics = async () => (await pool.gateway.fetch('/metrics')).text();
    const [first, second] = pool.workers.map(({ port }) => `127.0.0.1:${port}`);
    const text = await metrics();
    expect(text).toContain(`switchyard_instance_up{instance="${first}"} 1`);
    expect(text).toContain(`switchyard_instance_events_total{instance="${first}",event="up"} 1`);
    await pool.admin.useWorkers([pool.workers[1]?.port ?? 0]);
    await untilKinds(['removed']);
    const after = await metrics();
    expect(after).not.toContain(String(first));
    expect(after).toContain(`switchyard_instance_up{instance="${second}"} 1`);
  });
});
