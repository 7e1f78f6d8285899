import { sweepLimits } from '@switchyard/contract/dispatch/sweep';
import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { expect, it } from 'vitest';
import { type AxisDraft, axisOf, axisWith, kindsFor, newAxis } from './axis-draft.ts';

function parameter(name: string, more: Partial<WorkflowParameter>): WorkflowParameter {
  const plain = {
    label: name,
    description: null,
    required: false,
    default: '',
    minimum: null,
    maximum: null,
  };
  const sets = [{ node: '1', title: 'Node', input: name }];
  const rest = { choices: null, multiline: false, hidden: false, pinned: false, sets, placeholder: null };
  return { name, type: 'string', ...plain, ...rest, ...more };
}

const steps = parameter('steps', { type: 'integer', minimum: 1, maximum: 22, default: 20 });
const sampler = parameter('sampler', { type: 'choice', choices: ['euler', 'heun', 'lcm'], default: 'euler' });
const seed = parameter('seed', { type: 'integer', default: 5 });
const prompt = parameter('prompt', { multiline: true });
const image = parameter('image', { type: 'file' });
const tiled = parameter('tiled', { type: 'boolean', default: false });

it('offers the ways in which a parameter can be varied', () => {
  expect([steps, sampler, seed, prompt, tiled, image].map((each) => kindsFor(each)[0])).toEqual([
    'values',
    'choices',
    'seeds',
    'lines',
    'choices',
    'files',
  ]);
});

it.each<[WorkflowParameter, Partial<AxisDraft>, object | string]>([
  [steps, { values: '10, 20;x\n30' }, { values: [10, 20, 'x', 30] }],
  [steps, { values: ' , ' }, 'empty'],
  [steps, { kind: 'range', from: '1', to: '9', step: '4' }, { range: { from: 1, to: 9, step: 4 } }],
  [steps, { kind: 'range', step: '0' }, 'step'],
  [steps, { kind: 'range', from: '9', to: '1', step: '-4' }, 'step'],
  [steps, { kind: 'range', from: '9', to: '1', step: '4' }, { range: { from: 9, to: 1, step: 4 } }],
  [steps, { kind: 'range', to: '' }, 'noNumbers'],
  [sampler, { choices: ['lcm', 'euler'] }, { values: ['euler', 'lcm'] }],
  [sampler, { choices: [] }, 'empty'],
  [tiled, {}, { values: [true, false] }],
  [seed, { seeds: '8' }, { seeds: 8 }],
  [seed, { seeds: '1.5' }, 'seeds'],
  [prompt, { lines: 'a\nb' }, { lines: 'a\nb' }],
  [prompt, { lines: ' \n' }, 'empty'],
  [prompt, { lines: 'x'.repeat(sweepLimits.lineBytes + 1) }, 'tooLong'],
  [image, {}, 'empty'],
  [image, { files: [{ fileId: 'f', filename: 'a.png' }] }, { values: [{ $file: 'f' }] }],
])('reads the axis of $name', (varied, draft, axis) => {
  const read = axisOf({ ...newAxis(varied, varied.default), ...draft }, varied);
  expect(read).toEqual(typeof axis === 'string' ? axis : { param: varied.name, ...axis });
});

it('begins a range at the present value, within the range of the parameter', () => {
  expect(newAxis(steps, 20)).toMatchObject({ from: '20', to: '22', step: '1', values: '20' });
  expect(newAxis(prompt, 'a kite\n  in the sky')).toMatchObject({ lines: 'a kite in the sky' });
});

it.each<[WorkflowParameter, unknown[]]>([
  [steps, [10, 30]],
  [sampler, ['euler', 'lcm']],
  [seed, [7, 11]],
  [prompt, ['a, b', 'c']],
  [tiled, [true]],
  [image, [{ $file: 'f' }, { $file: 'g' }]],
])('makes the axis of an earlier sweep again for $name', (varied, values) => {
  const axis = axisOf(axisWith(varied, values), varied);
  const given = varied === prompt ? { lines: values.join('\n') } : { values };
  expect(axis).toEqual({ param: varied.name, ...given });
});
