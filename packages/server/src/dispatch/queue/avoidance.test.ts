import { expect, test } from 'vitest';
import { avoidancesOf } from './avoidance.ts';

const at = (second: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, second)).toISOString();
const attempt = (instanceId: string, outcome: string, second: number) => ({
  instanceId,
  outcome,
  endedAt: at(second),
});
const times = (second: number) => ({ nowMs: Date.parse(at(second)), firstMs: 2_000 });

test('an instance that has refused a task is avoided by that task for twice as long each time', () => {
  const once = [attempt('a', 'not_taken', 0)];
  expect(avoidancesOf(once, times(1))).toEqual([{ instanceId: 'a', untilMs: Date.parse(at(2)) }]);
  expect(avoidancesOf(once, times(2))).toEqual([]);
  const twice = [...once, attempt('b', 'lost', 1), attempt('a', 'not_taken', 2)];
  expect(avoidancesOf(twice, times(2))).toEqual([
    { instanceId: 'a', untilMs: Date.parse(at(6)) },
    { instanceId: 'b', untilMs: Date.parse(at(3)) },
  ]);
});

test('it is never avoided for longer than a minute', () => {
  const many = Array.from({ length: 20 }, () => attempt('a', 'not_taken', 0));
  expect(avoidancesOf(many, times(1))).toEqual([{ instanceId: 'a', untilMs: Date.parse(at(60)) }]);
});

test('an attempt that still runs, was given back or failed because of its graph counts against no instance', () => {
  const rows = [
    attempt('a', 'given_back', 0),
    attempt('b', 'graph_error', 0),
    { instanceId: 'c', outcome: null, endedAt: null },
  ];
  expect(avoidancesOf(rows, times(0))).toEqual([]);
});

test('an instance that an input is too large for is avoided for an hour', () => {
  const [avoided] = avoidancesOf([attempt('a', 'too_large', 0)], times(1));
  expect(avoided).toEqual({ instanceId: 'a', untilMs: Date.parse(at(3_600)) });
});
