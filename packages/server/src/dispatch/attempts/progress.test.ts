import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ExecutionEvent } from '../worker-client/worker-event.ts';
import { ExecutionProgress } from './progress.ts';

const promptId = 'p';
const started = (nodeId: string, topNodeId = nodeId): ExecutionEvent => ({
  promptId,
  type: 'node_started',
  nodeId,
  topNodeId,
});
const ticked = (nodeId: string, value: number, max: number): ExecutionEvent => ({
  promptId,
  type: 'node_progress',
  nodeId,
  value,
  max,
});
const cached = (...nodeIds: string[]): ExecutionEvent => ({ promptId, type: 'nodes_cached', nodeIds });

function percents(progress: ExecutionProgress, ...events: ExecutionEvent[]): number[] {
  return events.map((event) => {
    progress.apply(event);
    return progress.view.percent;
  });
}

test('counts finished nodes and the parts done of the running one over the whole workflow', () => {
  const progress = new ExecutionProgress(new Set(['1', '2', '3', '4']));
  expect(
    percents(progress, started('1'), started('2'), ticked('2', 10, 20), started('3'), started('4')),
  ).toEqual([0, 25, 37, 50, 75]);
});

test('cached nodes count at once', () => {
  const progress = new ExecutionProgress(new Set(['1', '2', '3', '4']));
  expect(percents(progress, cached('1', '2', '99'), started('3'))).toEqual([50, 50]);
});

test('stays at 99 when every node is done', () => {
  expect(percents(new ExecutionProgress(new Set(['1'])), cached('1'))).toEqual([99]);
});

test('shows the step of the running node', () => {
  const progress = new ExecutionProgress(new Set(['1', '2']));
  progress.apply(started('1'));
  expect(progress.apply(ticked('1', 3, 20))).toBe(true);
  expect(progress.view).toEqual({ percent: 7, nodeId: '1', step: 3, steps: 20 });
  progress.apply(started('2'));
  expect(progress.view).toMatchObject({ nodeId: '2', step: null, steps: null });
});

test('a node that expands into others is done when it ends itself, not when its parts end', () => {
  const progress = new ExecutionProgress(new Set(['1', '2']));
  const finished = (nodeId: string, topNodeId: string): ExecutionEvent => ({
    promptId,
    type: 'node_finished',
    nodeId,
    topNodeId,
  });
  expect(
    percents(
      progress,
      started('1'),
      started('1.0.0.a', '1'),
      ticked('1.0.0.a', 5, 10),
      finished('1.0.0.a', '1'),
      started('1.0.0.b', '1'),
      finished('1', '1'),
    ),
  ).toEqual([0, 0, 25, 25, 25, 50]);
});

test('a snapshot after a reconnect updates everything', () => {
  const progress = new ExecutionProgress(new Set(['1', '2', '3']));
  progress.apply({
    promptId,
    type: 'progress_snapshot',
    nodes: [
      { nodeId: '1', topNodeId: '1', value: 1, max: 1, isFinished: true },
      { nodeId: '2.0.x', topNodeId: '2', value: 4, max: 4, isFinished: true },
      { nodeId: '3', topNodeId: '3', value: 1, max: 2, isFinished: false },
    ],
  });
  expect(progress.view.percent).toBe(50);
});

test('continues from the progress of an earlier gateway', () => {
  const progress = new ExecutionProgress(new Set(['1', '2', '3', '4']), 60);
  expect(percents(progress, started('1'), started('2'), started('3'), started('4'))).toEqual([
    60, 60, 60, 75,
  ]);
});

test('says whether there is something new to show', () => {
  const progress = new ExecutionProgress(new Set(['1', '2']));
  expect(progress.apply(started('1'))).toBe(true);
  expect(progress.apply(started('1'))).toBe(false);
  expect(progress.apply({ promptId, type: 'run_settled' })).toBe(false);
});

test('never goes back and never passes 99, whatever a worker sends', () => {
  const nodeId = fc.constantFrom('1', '2', '3', '3.0.a', 'foreign');
  const number = fc.oneof(fc.integer({ min: -5, max: 50 }), fc.constantFrom(Number.NaN, 1e308, -1e308));
  const event: fc.Arbitrary<ExecutionEvent> = fc.oneof(
    fc.tuple(nodeId, nodeId).map(([id, top]) => started(id, top)),
    fc.tuple(nodeId, number, number).map(([id, value, max]) => ticked(id, value, max)),
    fc.array(nodeId).map((ids) => cached(...ids)),
    fc.tuple(nodeId, nodeId, number, number, fc.boolean()).map(
      ([id, topNodeId, value, max, isFinished]): ExecutionEvent => ({
        promptId,
        type: 'progress_snapshot',
        nodes: [{ nodeId: id, topNodeId, value, max, isFinished }],
      }),
    ),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), fc.integer({ min: -10, max: 200 }), (events, percent) => {
      const progress = new ExecutionProgress(new Set(['1', '2', '3']), percent);
      let last = progress.view.percent;
      for (const next of events) {
        progress.apply(next);
        const { percent: now } = progress.view;
        expect(Number.isInteger(now)).toBe(true);
        expect(now).toBeGreaterThanOrEqual(last);
        expect(now).toBeLessThanOrEqual(99);
        last = now;
      }
    }),
  );
});
