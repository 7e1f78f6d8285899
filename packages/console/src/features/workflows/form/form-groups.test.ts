import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { expect, it } from 'vitest';
import { groupsOf } from './form-groups.ts';
import { labelOf } from './form-label.ts';

const parameters = [
  parameter('3', 'KSampler', 'seed', { type: 'integer' }),
  parameter('3', 'KSampler', 'steps', { type: 'integer' }),
  parameter('3', 'KSampler', 'cfg', { type: 'number' }),
  parameter('4', 'Loader', 'ckpt_name', { type: 'model' }),
  parameter('5', 'Canvas', 'width', { type: 'integer' }),
  parameter('5', 'Canvas', 'height', { type: 'integer' }),
  parameter('6', 'Negative', 'text', { multiline: true }),
  parameter('7', 'Positive', 'text', { multiline: true }),
  parameter('8', 'Picture', 'image', { type: 'file' }),
  parameter('9', 'Save', 'filename_prefix', {}),
  parameter('9', 'Save', 'note', {}),
];

it('shows prompts, media, seed and size first, five of them, and then what else is often set', () => {
  const { basic, more, all } = groupsOf(parameters);
  expect(basic.map(({ name }) => name)).toEqual(['7.text', '6.text', '8.image', '3.seed', '5.width']);
  expect(more.map(({ name }) => name)).toEqual([
    '5.height',
    '3.steps',
    '3.cfg',
    '4.ckpt_name',
    '9.filename_prefix',
  ]);
  expect(all.map(({ node, parameters: fields }) => [node, fields.length])).toEqual([
    ['3', 3],
    ['4', 1],
    ['5', 2],
    ['6', 1],
    ['7', 1],
    ['8', 1],
    ['9', 2],
  ]);
});

it('keeps to what the author chose by hiding the rest', () => {
  const chosen = parameters.map((each) => ({ ...each, hidden: !['3.cfg', '9.note'].includes(each.name) }));
  const { basic, more, all } = groupsOf(chosen);
  expect(basic.map(({ name }) => name)).toEqual(['3.cfg', '9.note']);
  expect(more).toEqual([]);
  expect(all).toHaveLength(2);
});

it('puts placeholders before everything', () => {
  const asked = { ...parameter('9', 'Save', 'note', {}), name: 'thing', placeholder: 'thing' };
  expect(groupsOf([...parameters, asked]).basic[0]?.name).toBe('thing');
});

it('shows the first fields when none is of a kind that a person looks for', () => {
  const odd = ['a', 'b', 'c', 'd', 'e', 'f'].map((input) => parameter('1', 'Odd', input, {}));
  const { basic, more } = groupsOf(odd);
  expect(basic).toHaveLength(5);
  expect(more).toHaveLength(1);
});

it('names a field by its node while the node has one, and adds the input when the title repeats', () => {
  const [seed, steps, , , , , negative] = parameters;
  if (!seed || !steps || !negative) throw new Error('no parameters');
  expect(labelOf(negative, parameters)).toBe('Negative');
  expect(labelOf(seed, parameters)).toBe('KSampler: seed');
  expect(labelOf(seed, [seed, negative])).toBe('KSampler');
  expect(labelOf(seed, parameters, { belowTitle: true })).toBe('seed');
});

it('leaves a label that the author wrote', () => {
  const own = { ...parameter('7', 'Positive', 'text', {}), label: 'What to draw' };
  expect(labelOf(own, [own])).toBe('What to draw');
  expect(labelOf(own, [own], { belowTitle: true })).toBe('What to draw');
});

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
