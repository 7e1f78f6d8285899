import { expect, test } from 'vitest';
import type { ExecutionEvent } from '../worker-client/worker-event.ts';
import { maxNodeSpans, NodeRecord, readNodes } from './node-record.ts';

const promptId = 'p';
const started = (nodeId: string, topNodeId = nodeId): ExecutionEvent => ({
  type: 'node_started',
  promptId,
  nodeId,
  topNodeId,
});

function newRecord(stored: string | null = null): NodeRecord {
  const record = new NodeRecord(stored);
  record.begin((nodeId) => !nodeId.includes('.'));
  return record;
}

test('a node ends when the next one begins, and the last one when the execution ends', () => {
  const record = newRecord();
  record.takeIn({ type: 'nodes_cached', promptId, nodeIds: ['1'] }, 1_000);
  record.takeIn(started('2'), 1_010);
  record.takeIn(started('3'), 1_500);
  record.takeIn({ type: 'run_ended', promptId, end: 'succeeded', error: null }, 1_700);
  expect(readNodes(record.toJson())).toEqual({
    spans: [
      { nodeId: '1', startMs: 1_000, endMs: 1_000, state: 'cached' },
      { nodeId: '2', startMs: 1_010, endMs: 1_500, state: 'finished' },
      { nodeId: '3', startMs: 1_500, endMs: 1_700, state: 'finished' },
    ],
    folded: null,
  });
});

test('nodes into which a node expands count as part of it', () => {
  const record = newRecord();
  record.takeIn(started('7'), 0);
  record.takeIn(started('7.0.0.1', '7'), 10);
  // An older worker does not name the node that it belongs to.
  record.takeIn(started('7.0.0.2'), 20);
  record.takeIn({ type: 'node_finished', promptId, nodeId: '7.0.0.2', topNodeId: '7.0.0.2' }, 30);
  record.takeIn({ type: 'run_ended', promptId, end: 'succeeded', error: null }, 40);
  expect(readNodes(record.toJson()).spans).toEqual([
    { nodeId: '7', startMs: 0, endMs: 40, state: 'finished' },
  ]);
});

test('the node at which an execution fails has failed, and the one at which it is lost was stopped', () => {
  const failing = newRecord();
  failing.takeIn(started('1'), 0);
  failing.takeIn({ type: 'run_ended', promptId, end: 'failed', error: null }, 5);
  const lost = newRecord();
  lost.takeIn(started('1'), 0);
  lost.end(9);
  expect(readNodes(failing.toJson()).spans[0]).toMatchObject({ state: 'failed', endMs: 5 });
  expect(readNodes(lost.toJson()).spans[0]).toMatchObject({ state: 'stopped', endMs: 9 });
});

test('a resumed attempt goes on with the node that ran, and the history fills in what was missed', () => {
  const before = newRecord();
  before.takeIn(started('1'), 100);
  before.takeIn(started('2'), 200);
  const after = newRecord(before.toJson());
  after.takeIn(started('2'), 9_000);
  after.takeIn(started('5'), 9_500);
  after.takeIn({ type: 'run_ended', promptId, end: 'succeeded', error: null }, 9_900);
  after.fill({ cached: ['4'], finished: ['5', '6'] });
  expect(readNodes(after.toJson()).spans).toEqual([
    { nodeId: '1', startMs: 100, endMs: 200, state: 'finished' },
    { nodeId: '2', startMs: 200, endMs: 9_500, state: 'finished' },
    { nodeId: '5', startMs: 9_500, endMs: 9_900, state: 'finished' },
    { nodeId: '4', startMs: null, endMs: null, state: 'cached' },
    { nodeId: '6', startMs: null, endMs: null, state: 'finished' },
  ]);
});

test('what exceeds the limit of an attempt is folded into one summary', () => {
  const record = newRecord();
  for (let node = 0; node < maxNodeSpans + 3; node += 1) record.takeIn(started(`${node}`), node);
  record.takeIn({ type: 'run_ended', promptId, end: 'succeeded', error: null }, 5_000);
  const { spans, folded } = readNodes(newRecord(record.toJson()).toJson());
  expect(spans).toHaveLength(maxNodeSpans);
  expect(folded).toEqual({ count: 3, cached: 0, startMs: maxNodeSpans, endMs: 5_000 });
});
