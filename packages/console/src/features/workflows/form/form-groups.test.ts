import { fieldName } from '@switchyard/contract/dispatch/field-name';
import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { expect, it } from 'vitest';
import { type FormItem, groupsOf, matching } from './form-groups.ts';
import { labelOf } from './form-label.ts';

const parameters = [
  parameter('3', 'KSampler', 'seed', { type: 'integer' }),
  parameter('3', 'KSampler', 'steps', { type: 'integer' }),
  parameter('3', 'KSampler', 'cfg', { type: 'number' }),
  parameter('3', 'KSampler', 'sampler_name', { type: 'choice', choices: ['euler'] }),
  parameter('4', 'Loader', 'ckpt_name', { type: 'model' }),
  parameter('5', 'First frame', 'width', { type: 'integer' }),
  parameter('5', 'First frame', 'height', { type: 'integer' }),
  parameter('6', 'Negative', 'text', { multiline: true }),
  parameter('7', 'Positive', 'text', { multiline: true }),
  parameter('8', 'Picture', 'image', { type: 'file' }),
  parameter('9', 'Last frame', 'height', { type: 'integer' }),
  parameter('9', 'Last frame', 'width', { type: 'integer' }),
  parameter('10', 'Save', 'filename_prefix', {}),
  parameter('11', 'Crop', 'width', { type: 'integer' }),
];

it('shows first what people change, and the width and the height of each node together', () => {
  const { basic, more } = groupsOf(parameters);
  expect(basic.map(nameOf)).toEqual([
    '7.text',
    '6.text',
    '8.image',
    '3.seed',
    '5.width × 5.height',
    '9.width × 9.height',
    '11.width',
    '4.ckpt_name',
    '3.steps',
    '3.cfg',
  ]);
  expect(more.map(({ title, items }) => [title, ...items.map(nameOf)])).toEqual([
    ['KSampler', '3.sampler_name'],
    ['Save', '10.filename_prefix'],
  ]);
});

it('keeps apart the sizes of a node that has several', () => {
  const crop = ['width', 'height', 'crop_width', 'crop_height'].map((input) =>
    parameter('5', 'Canvas', input, { type: 'integer' }),
  );
  expect(groupsOf(crop).basic.map(nameOf)).toEqual(['5.width × 5.height', '5.crop_width × 5.crop_height']);
});

it('shows what the author pinned, in the order of the form, and everything else below', () => {
  const pinned = parameters.map((each) => ({
    ...each,
    pinned: ['10', '7', '5'].includes(each.sets[0]?.node ?? ''),
  }));
  const { basic, more } = groupsOf(pinned);
  expect(basic.map(nameOf)).toEqual(['5.width × 5.height', '7.text', '10.filename_prefix']);
  expect(more.flatMap(({ items }) => items.map(nameOf))).toHaveLength(9);
});

it('shows what the author left visible', () => {
  const hidden = parameters.map((each) => ({ ...each, hidden: each.sets[0]?.node !== '10' }));
  const { basic, more } = groupsOf(hidden);
  expect(basic.map(nameOf)).toEqual(['10.filename_prefix']);
  expect(more).toEqual([]);
});

it('shows placeholders before everything', () => {
  const asked = { ...parameter('10', 'Save', 'note', {}), name: 'thing', placeholder: 'thing' };
  expect(groupsOf([...parameters, asked]).basic.map(nameOf)[0]).toBe('thing');
});

it('shows the first fields when none is of a kind that a person looks for', () => {
  const odd = ['a', 'b', 'c', 'd', 'e', 'f'].map((input) => parameter('1', 'Odd', input, {}));
  const { basic, more } = groupsOf(odd);
  expect(basic).toHaveLength(5);
  expect(more.flatMap(({ items }) => items)).toHaveLength(1);
});

it('finds fields by label, node and input, in any order of the words', () => {
  const { more } = groupsOf(parameters.map((each) => ({ ...each, pinned: each.sets[0]?.node === '7' })));
  const found = (words: string) => matching(more, words).flatMap(({ items }) => items.map(nameOf));
  expect(found('LAST')).toEqual(['9.width × 9.height']);
  expect(found('height first')).toEqual(['5.width × 5.height']);
  expect(found('ckpt')).toEqual(['4.ckpt_name']);
  expect(found('zebra')).toEqual([]);
  const chinese = matching(more, '宽度', (each, _, options) =>
    labelOf(each, [], {
      ...options,
      nameOf: (place) => fieldName(place, { alone: true, wordOf: () => '宽度' }),
    }),
  );
  expect(chinese.flatMap(({ items }) => items.map(nameOf))).toContain('11.width');
});

it('names a field by its node while the node has one, and adds the input when the title repeats', () => {
  const [seed, steps] = parameters;
  const negative = parameters.find(({ name }) => name === '6.text');
  if (!seed || !steps || !negative) throw new Error('no parameters');
  expect(labelOf(negative, parameters)).toBe('Negative');
  expect(labelOf(seed, parameters)).toBe('KSampler: Seed');
  expect(labelOf(seed, [seed, negative])).toBe('KSampler');
  expect(labelOf(seed, parameters, { belowTitle: true })).toBe('Seed');
});

it('names a field of a node without a title by its input, and by its class where another has the same input', () => {
  const untitled = (node: string, kind: string) =>
    parameter(node, kind, 'batch_size', { label: 'batch_size' });
  const [latent, empty] = [untitled('1', 'EmptyLatentImage'), untitled('2', 'EmptyImage')];
  expect(labelOf(latent, [latent, ...parameters])).toBe('Batch size');
  expect(labelOf(latent, [latent, empty])).toBe('EmptyLatentImage: Batch size');
});

it('leaves a label that the author wrote', () => {
  const own = { ...parameter('7', 'Positive', 'text', {}), label: 'What to draw' };
  expect(labelOf(own, [own])).toBe('What to draw');
  expect(labelOf(own, [own], { belowTitle: true })).toBe('What to draw');
});

function nameOf(item: FormItem): string {
  return item.kind === 'size' ? `${item.width.name} × ${item.height.name}` : item.parameter.name;
}

function parameter(
  node: string,
  title: string,
  input: string,
  more: Partial<WorkflowParameter>,
): WorkflowParameter {
  return {
    name: `${node}.${input}`,
    label: `${title}: ${input}`,
    description: null,
    type: 'string',
    required: false,
    default: '',
    minimum: null,
    maximum: null,
    choices: null,
    multiline: false,
    hidden: false,
    pinned: false,
    sets: [{ node, title, input }],
    placeholder: null,
    ...more,
  };
}
