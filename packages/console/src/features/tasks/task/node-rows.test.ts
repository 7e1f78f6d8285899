import type { TaskNode } from '@switchyard/contract/dispatch/task-node';
import { expect, it } from 'vitest';
import { nodeRows, nodeTitle } from './node-rows.ts';

const at = (second: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + second * 1_000).toISOString();
const node = (id: string, rest: Partial<TaskNode> = {}): TaskNode => ({
  attempt: 1,
  node: id,
  title: `T${id}`,
  class: 'C',
  startedAt: at(0),
  endedAt: at(2),
  cached: false,
  state: 'finished',
  ...rest,
});
const graph = { 1: { class_type: 'LoadImage' }, 2: { class_type: 'Invert', _meta: { title: 'Darker' } } };
const options = {
  nowMs: Date.parse(at(10)),
  goesOn: true,
  usual: [{ node: '2', title: 'Darker', seconds: 4.5 }],
};

it('lists begun nodes with their times, then those that wait with the time that they usually take', () => {
  const rows = nodeRows([node('1', { state: 'running', endedAt: null })], graph, options);
  expect(rows).toEqual([
    { node: '1', title: 'T1', state: 'running', ms: 10_000, usualMs: null },
    { node: '2', title: 'Darker', state: 'waiting', ms: null, usualMs: 4_500 },
  ]);
});

it('shows the last attempt alone, and nothing that waits once it is over', () => {
  const rows = nodeRows([node('1'), node('1', { attempt: 2, endedAt: at(5) })], graph, {
    ...options,
    goesOn: false,
  });
  expect(rows).toEqual([{ node: '1', title: 'T1', state: 'finished', ms: 5_000, usualMs: null }]);
});

it('gives no time to a node that the worker did not run or did not tell of', () => {
  const rows = nodeRows([node('1', { cached: true }), node('2', { startedAt: null })], {}, options);
  expect(rows.map(({ ms }) => ms)).toEqual([null, null]);
});

it('calls a node by its title, its class or its id', () => {
  expect(nodeTitle('7', { class_type: 'Save', _meta: { title: '' } })).toBe('Save');
  expect(nodeTitle('7', null)).toBe('7');
});
