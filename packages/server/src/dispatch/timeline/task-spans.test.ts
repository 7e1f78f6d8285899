import { describe, expect, it } from 'vitest';
import { pageOf } from '../../lib/timeline-page.ts';
import type { AttemptNodes } from '../tasks/task-nodes.ts';
import { spansOfTask, type TimedTask } from './task-spans.ts';

const at = (seconds: number): string => new Date(Date.UTC(2030, 0, 1) + seconds * 1000).toISOString();

const task: TimedTask = {
  id: 't',
  name: 'draw',
  status: 'completed',
  phase: 'ended',
  error: null,
  createdAt: at(0),
  finishedAt: at(10),
};

function attempt(number: number, times: (string | null)[], outcome: string | null): AttemptNodes {
  const worker = { serverName: null, workerVersion: null };
  const [startedAt = '', acceptedAt = null, endedAt = null] = times;
  const common = { taskId: 't', instanceId: 'box', promptId: 'p', clientId: 'c', error: null, ...worker };
  const state = endedAt === null ? 'accepted' : 'ended';
  return {
    attempt: { ...common, attempt: number, startedAt: startedAt ?? '', acceptedAt, endedAt, outcome, state },
    nodes: [],
    folded: null,
  };
}

function spansOf(given: Partial<TimedTask>, attempts: AttemptNodes[]) {
  const price = { perHour: 36, currency: 'EUR' };
  const nameOf = (): string => 'Box 22';
  return spansOfTask({ task: { ...task, ...given }, attempts, nameOf, price, nowMs: Date.parse(at(20)) });
}

const brief = (spans: ReturnType<typeof spansOf>) =>
  spans.map(({ kind, start, end, state }) => [kind, start, end, state]);

describe('the spans of a task', () => {
  it('keep waiting apart from work, also when it waits a second time', () => {
    const spans = spansOf({}, [
      attempt(1, [at(2), at(3), at(5)], 'lost'),
      attempt(2, [at(6), at(7), at(10)], 'completed'),
    ]);
    expect(brief(spans)).toEqual([
      ['task', at(0), at(10), 'success'],
      ['queue', at(0), at(2), 'success'],
      ['queue', at(5), at(6), 'success'],
      ['attempt', at(2), at(5), 'interrupted'],
      ['attempt', at(6), at(10), 'success'],
    ]);
    expect(spans.map(({ workerSeconds, cost }) => [workerSeconds, cost])).toEqual([
      [5, 0.05],
      [null, null],
      [null, null],
      [2, 0.02],
      [3, 0.03],
    ]);
    expect(spans[3]).toMatchObject({ name: 'Box 22', parentId: 't', links: { instanceId: 'box' } });
  });

  it('have no end while the task waits or runs, and count the worker until now', () => {
    const waiting = spansOf({ status: 'pending', phase: 'queued', finishedAt: null }, []);
    expect(brief(waiting)).toEqual([
      ['task', at(0), null, 'waiting'],
      ['queue', at(0), null, 'waiting'],
    ]);
    const running = { status: 'running', phase: 'executing', finishedAt: null } as const;
    const [whole, , work] = spansOf(running, [attempt(1, [at(1), at(2), null], null)]);
    expect([whole?.state, work?.state, work?.end, work?.workerSeconds]).toEqual([
      'running',
      'running',
      null,
      18,
    ]);
  });

  it('say that a task was cancelled while it waited', () => {
    const error = JSON.stringify({ code: 'cancelled', message: 'Cancelled.' });
    expect(brief(spansOf({ status: 'failed', error }, []))).toEqual([
      ['task', at(0), at(10), 'cancelled'],
      ['queue', at(0), at(10), 'cancelled'],
    ]);
  });

  it('have each node in its attempt, and one span for nodes without times and for those that were folded', () => {
    const work = attempt(1, [at(1), at(2), at(10)], 'completed');
    const node = { attempt: 1, class: 'SaveImage', cached: false };
    const spans = spansOf({}, [
      {
        ...work,
        nodes: [
          { ...node, node: '1', title: 'Save', startedAt: at(3), endedAt: at(4), state: 'finished' },
          { ...node, node: '2', title: 'Late', startedAt: null, endedAt: null, state: 'finished' },
        ],
        folded: { attempt: 1, count: 7, cached: 0, startedAt: at(5), endedAt: at(6) },
      },
    ]);
    expect(spans.filter(({ kind }) => kind === 'node')).toMatchObject([
      { id: 't.1.0001', parentId: 't.1', name: 'Save', start: at(3), end: at(4), links: { nodeId: '1' } },
      { name: '1 node of unknown time', start: at(2), end: at(10), links: { nodeId: null } },
      { name: '7 nodes more', start: at(5), end: at(6) },
    ]);
  });

  it('stand in their order where all begin in the same millisecond', () => {
    const work = attempt(1, [at(0), at(0), at(10)], 'completed');
    const node = { node: '1', attempt: 1, class: 'SaveImage', title: 'Save', cached: false } as const;
    const times = { startedAt: at(0), endedAt: at(0), state: 'finished' } as const;
    const spans = spansOf({}, [{ ...work, nodes: [{ ...node, ...times }] }]);
    const page = pageOf([...spans].reverse(), { after: null, limit: 10 });
    expect(page.spans.map(({ kind }) => kind)).toEqual(['task', 'queue', 'attempt', 'node']);
  });

  it('have no cost when workers have no price', () => {
    const attempts = [attempt(1, [at(1), at(2), at(10)], 'completed')];
    const [whole] = spansOfTask({ task, attempts, nameOf: () => null, price: null, nowMs: 0 });
    expect(whole).toMatchObject({ workerSeconds: 8, cost: null, currency: null });
  });
});
