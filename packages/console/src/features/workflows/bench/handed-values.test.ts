import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { expect, it } from 'vitest';
import { fieldForFile, handedValues } from './handed-values.ts';

function parameter(name: string, more: Partial<WorkflowParameter> = {}): WorkflowParameter {
  return {
    name,
    label: name,
    type: 'string',
    hidden: false,
    placeholder: null,
    sets: [],
    ...more,
  } as WorkflowParameter;
}

it('takes each value from the params of the task before its graph', () => {
  const parameters = [
    parameter('prompt', { sets: [{ node: '3', title: '', input: 'text' }] }),
    parameter('steps', { type: 'integer', sets: [{ node: '4', title: '', input: 'steps' }] }),
    parameter('tiled', { type: 'boolean', sets: [{ node: '4', title: '', input: 'tiled' }] }),
    parameter('style', { placeholder: 'style', sets: [{ node: '5', title: '', input: 'text' }] }),
    parameter('secret', { hidden: true, sets: [{ node: '4', title: '', input: 'steps' }] }),
    parameter('foreign', { sets: [{ node: '99', title: '', input: 'text' }] }),
  ];
  const workflow = {
    3: { inputs: { text: 'in the graph' } },
    4: { inputs: { steps: 20, tiled: false } },
    5: { inputs: { text: '{{style}}' } },
  };
  const { values } = handedValues(parameters, { workflow, params: { '3.text': 'given' }, inputs: [] });
  expect(values).toEqual({ prompt: 'given', steps: '20', tiled: false });
});

it('takes a file that still exists in place of one that was deleted, and names the field of a lost one', () => {
  const parameters = [parameter('first', { type: 'file' }), parameter('second', { type: 'file' })];
  const inputs = [
    { fileId: 'old', filename: 'cat.png', sha256: '', presentFileId: 'new' },
    { fileId: 'gone', filename: 'dog.png', sha256: '', presentFileId: null },
  ];
  const params = { first: { $file: 'old' }, second: { $file: 'gone' } };
  expect(handedValues(parameters, { workflow: {}, params, inputs })).toEqual({
    values: { first: { fileId: 'new', filename: 'cat.png' } },
    lostFields: [parameters[1]],
  });
});

it('finds the field for a file: the named one, an empty one, the first one, or none', () => {
  const fields = [parameter('a', { type: 'file' }), parameter('b', { type: 'file' }), parameter('c')];
  const file = { fileId: 'x', filename: 'x.png' };
  expect(fieldForFile(fields, { values: { a: file }, seeds: {} }, null)?.name).toBe('b');
  expect(fieldForFile(fields, { values: { a: file }, seeds: {} }, 'a')?.name).toBe('a');
  expect(fieldForFile(fields, { values: { a: file, b: file }, seeds: {} }, 'c')?.name).toBe('a');
  expect(fieldForFile([parameter('c')], { values: {}, seeds: {} }, null)).toBeUndefined();
});
