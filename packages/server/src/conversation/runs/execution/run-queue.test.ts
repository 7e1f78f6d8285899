import { expect, test } from 'vitest';
import type { WaitingRun } from '../records/run-store.ts';
import { RunQueue } from './run-scheduler.ts';

let admissions = 0;

function run(runId: string, more: Partial<WaitingRun> = {}): WaitingRun {
  admissions += 1;
  return {
    run_id: runId,
    thread_id: `thread-of-${runId}`,
    user_id: 'alice',
    admission: admissions,
    created_at: '2030-01-01T00:00:00.000Z',
    run_at: null,
    worker_id: null,
    attempt: 0,
    cancel_action: null,
    ...more,
  };
}

function queueOf(...runs: WaitingRun[]): RunQueue {
  const queue = new RunQueue();
  for (const each of runs) queue.add(each);
  return queue;
}

function takeAll(queue: RunQueue): string[] {
  const taken: string[] = [];
  for (let next = queue.take(); next; next = queue.take()) taken.push(next.run_id);
  return taken;
}

test('runs of one thread come one at a time, in the order of their admission', () => {
  const t = { thread_id: 't' };
  const [a, b, c] = [run('a', t), run('b', t), run('c', t)];
  const queue = queueOf(b, c, a);
  expect(takeAll(queue)).toEqual(['a']);
  queue.release(a);
  expect(takeAll(queue)).toEqual(['b']);
  queue.release(b);
  expect(takeAll(queue)).toEqual(['c']);
});

test('an owner with a thousand runs does not keep another one waiting', () => {
  const many = Array.from({ length: 1_000 }, (_, n) => run(`a${n}`));
  const queue = queueOf(...many, run('b', { user_id: 'bob' }));
  expect([queue.take()?.run_id, queue.take()?.run_id]).toEqual(['a0', 'b']);
});

test('the owner with fewer runs at work comes first, then the one that was served longer ago', () => {
  const queue = queueOf(
    run('a1'),
    run('a2'),
    run('a3'),
    run('b1', { user_id: 'bob' }),
    run('b2', { user_id: 'bob' }),
  );
  expect(takeAll(queue)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
});

test('with room for one run, waiting owners are not overtaken by an owner that returns again and again', () => {
  const queue = queueOf(run('a1'), run('a2'));
  const served: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    queue.add(run(`b${n}`, { user_id: 'bob' }));
    const next = queue.take();
    if (!next) break;
    served.push(next.run_id);
    queue.release(next);
  }
  expect(served).toEqual(['a1', 'b0', 'a2', 'b1']);
});

test('a run that is added twice is handed out once', () => {
  const a = run('a');
  const queue = queueOf(a, a);
  expect(takeAll(queue)).toEqual(['a']);
  expect(queue.size).toBe(0);
});

test('a run that is removed lets the next one of its thread follow', () => {
  const [a, b] = [run('a', { thread_id: 't' }), run('b', { thread_id: 't' })];
  const queue = queueOf(a, b);
  queue.remove(a);
  expect(queue.sizeOf('alice')).toBe(1);
  expect(takeAll(queue)).toEqual(['b']);
});

test('a thread that several users share serves its runs in order', () => {
  const t = { thread_id: 'shared' };
  const [a, b] = [run('a', t), run('b', { ...t, user_id: 'bob' })];
  const queue = queueOf(a, b);
  expect(takeAll(queue)).toEqual(['a']);
  queue.release(a);
  expect(takeAll(queue)).toEqual(['b']);
});

test('nothing is remembered about owners and threads without runs', () => {
  const queue = new RunQueue();
  for (let n = 0; n < 100; n += 1) {
    queue.add(run(`x${n}`, { user_id: `user-${n}` }));
    const taken = queue.take();
    if (taken) queue.release(taken);
  }
  expect(queue.kept).toBe(0);
});
