import type { PushMessage } from '@switchyard/client/push/push-message';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { keys } from '../data/keys.ts';
import { LiveConnection } from './live-connection.ts';
import { LiveStore } from './live-state.ts';

/** A gateway whose messages the test sends, with an animation frame and timers that the test lets pass. */
function openLive() {
  const sent: PushMessage[] = [];
  let wake = (): void => undefined;
  async function* messages(): AsyncGenerator<PushMessage> {
    for (;;) {
      for (let next = sent.shift(); next; next = sent.shift()) yield next;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  const frames: (() => void)[] = [];
  const timers = new Map<() => void, number>();
  const cache = new QueryClient();
  const store = new LiveStore();
  const live = new LiveConnection({
    connect: messages,
    cache,
    store,
    withPreviews: false,
    clock: () => 5_000,
    timer: (action, ms) => {
      timers.set(action, ms);
      return () => timers.delete(action);
    },
    schedule: (action) => {
      frames.push(action);
      return () => undefined;
    },
  });
  const send = async (...more: PushMessage[]): Promise<void> => {
    sent.push(...more);
    wake();
    await vi.waitFor(() => expect(sent).toEqual([]));
    await Promise.resolve();
  };
  const paint = () => {
    for (const frame of frames.splice(0)) frame();
  };
  const pass = (ms: number) => {
    for (const [action, after] of [...timers]) if (after <= ms && timers.delete(action)) action();
  };
  return { live, cache, store, send, paint, pass, frames };
}

const hello = { type: 'global_status', timestamp: 1, data: { instances: [] } } as unknown as PushMessage;
const gone: PushMessage = { type: 'disconnected', data: { reason: 'It broke.', retryInMs: 500 } };

test('frames wait for the animation frame, and many of them ask for one', async () => {
  const { live, cache, send, paint, frames } = openLive();
  cache.setQueryData(keys.task('t1'), { id: 't1', status: 'running', progress: 0, updatedAt: '' });
  const progress = (value: number) =>
    ({ type: 'task_progress', timestamp: 1, data: { taskId: 't1', progress: value } }) as PushMessage;
  await send(hello, ...Array.from({ length: 200 }, (_, n) => progress(n % 100)));
  await vi.waitFor(() => expect(frames).toHaveLength(1));
  expect(cache.getQueryData(keys.task('t1'))).toMatchObject({ progress: 0 });
  paint();
  expect(cache.getQueryData(keys.task('t1'))).toMatchObject({ progress: 99 });
  live.close();
});

test('a lost socket is announced at once, and as stale when it does not come back', async () => {
  const { live, store, send, pass } = openLive();
  await send(hello);
  await vi.waitFor(() => expect(store.get()).toEqual({ state: 'live', since: 5_000 }));
  await send(gone);
  await vi.waitFor(() => expect(store.get().state).toBe('reconnecting'));
  pass(10_000);
  expect(store.get()).toEqual({ state: 'stale', since: 5_000 });
  await send(gone);
  expect(store.get().state).toBe('stale');
  await send(hello);
  await vi.waitFor(() => expect(store.get().state).toBe('live'));
  live.close();
});

test('a run that completes makes the figures of its workflow old, and a grid of them once in a while', async () => {
  const { live, cache, send, paint, pass } = openLive();
  const key = [...keys.workflow('w'), {}];
  const read = vi.fn(async () => ({ figures: { runs: read.mock.calls.length } }));
  const stop = new QueryObserver(cache, { queryKey: key, queryFn: read }).subscribe(() => undefined);
  await send(hello);
  paint();
  await vi.waitFor(() => expect(cache.isFetching()).toBe(0));
  read.mockClear();
  const completed = (workflowId: string | null) =>
    ({
      type: 'task_completed',
      timestamp: 1,
      data: { taskId: 't', workflowId, result: null },
    }) as unknown as PushMessage;
  await send(completed(null), completed('other'), completed('w'), completed('w'));
  paint();
  pass(150);
  await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(1));
  await vi.waitFor(() => expect(cache.isFetching()).toBe(0));
  await send(completed('w'));
  paint();
  pass(1_000);
  expect(read).toHaveBeenCalledTimes(1);
  pass(5_000);
  await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(2));
  stop();
  live.close();
});

test('after frames that are gone for good everything that is shown is read again', async () => {
  const { live, cache, send, paint } = openLive();
  cache.setQueryData(keys.overview, {});
  cache.setQueryData(keys.newTasks, []);
  const isOld = (key: readonly unknown[]) => cache.getQueryState(key)?.isInvalidated;
  await send(hello);
  paint();
  cache.setQueryData(keys.overview, {});
  await send({ type: 'resync', timestamp: 1, data: { reason: 'too_old' } } as PushMessage);
  paint();
  expect(isOld(keys.overview)).toBe(true);
  expect(isOld(keys.newTasks)).toBe(false);
  live.close();
});

test('a first answer that was on its way when the news began is asked for once more', async () => {
  const { live, cache, send, paint } = openLive();
  const answers: ((counts: { ended: number }) => void)[] = [];
  const queryFn = () => new Promise<{ ended: number }>((resolve) => answers.push(resolve));
  const stop = new QueryObserver(cache, { queryKey: keys.overview, queryFn }).subscribe(() => undefined);
  for (let frame = 0; frame < 2; frame += 1) {
    await send(hello, { type: 'resync', timestamp: 1, data: { reason: 'too_old' } } as PushMessage);
    paint();
  }
  expect(answers).toHaveLength(1);
  answers[0]?.({ ended: 2 });
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  answers[1]?.({ ended: 3 });
  await vi.waitFor(() => expect(cache.getQueryData(keys.overview)).toEqual({ ended: 3 }));
  expect(answers).toHaveLength(2);
  stop();
  live.close();
});
