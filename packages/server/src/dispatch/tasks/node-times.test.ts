import { expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { NodeRecord } from './node-record.ts';
import { NodeTimes, usualTimes } from './node-times.ts';

/** The record of one task. Each node begins when the one before has ended. */
function recordOf(nodes: readonly [node: string, ms: number][], cached: readonly string[] = []): string {
  const record = new NodeRecord(null);
  record.begin(() => true);
  record.takeIn({ type: 'nodes_cached', promptId: 'p', nodeIds: [...cached] }, 0);
  let atMs = 0;
  for (const [nodeId, ms] of nodes) {
    record.takeIn({ type: 'node_started', promptId: 'p', nodeId, topNodeId: nodeId }, atMs);
    atMs += ms;
  }
  record.takeIn({ type: 'run_ended', promptId: 'p', end: 'succeeded', error: null }, atMs);
  return record.toJson() ?? '';
}

test('a node usually takes the median of its times', () => {
  const records = [900, 100, 300, 200, 400].map((ms) => recordOf([['1', ms]]));
  expect(usualTimes(records)).toEqual(new Map([['1', 300]]));
  expect(usualTimes([...records, recordOf([['1', 350]])])).toEqual(new Map([['1', 325]]));
});

test('four times of a node say too little', () => {
  const records = [1, 2, 3, 4].map(() =>
    recordOf([
      ['1', 5],
      ['2', 7],
    ]),
  );
  expect(usualTimes([...records, recordOf([['2', 7]])])).toEqual(new Map([['2', 7]]));
});

test('a node that the worker did not run does not count', () => {
  const ran = [1, 2, 3, 4].map(() => recordOf([['1', 50]]));
  expect(usualTimes([...ran, recordOf([], ['1'])])).toEqual(new Map());
});

test('a node that was put off took all of its spans together', () => {
  const records = Array.from({ length: 5 }, () =>
    recordOf([
      ['1', 10],
      ['2', 30],
      ['1', 5],
    ]),
  );
  expect(usualTimes(records)).toEqual(
    new Map([
      ['1', 15],
      ['2', 30],
    ]),
  );
});

test('the times of a graph are read again when they are half a minute old', async () => {
  const time = new ManualTime();
  let ms = 10;
  const nodesOfGraph = async () => Array.from({ length: 5 }, () => recordOf([['1', ms]]));
  const times = new NodeTimes({ store: { nodesOfGraph }, steadyClock: time.now });
  await times.ofGraph('g.');
  ms = 20;
  expect(await times.ofGraph('g.')).toEqual(new Map([['1', 10]]));
  time.advance(30_000);
  expect(await times.ofGraph('g.')).toEqual(new Map([['1', 20]]));
});
