import { expect, test } from 'vitest';
import { argumentFields, withField } from './argument-fields.ts';

const args = {
  name: 'Poster',
  workflow: {
    4: { class_type: 'ImageScale', inputs: { image: ['3', 0], width: 512 }, _meta: { title: 'Grow' } },
  },
  params: { '4.height': 256 },
};

test('the plain values of a call are fields, those of a graph by the title of their node', () => {
  expect(argumentFields(args).map(({ label, value }) => [label, value])).toEqual([
    ['name', 'Poster'],
    ['Grow · width', '512'],
    ['4.height', '256'],
  ]);
});

test('a changed field changes its one place, as a number where it was one', () => {
  const [, width] = argumentFields(args);
  if (!width) throw new Error('There is a width.');
  const changed = withField(args, width, '64');
  expect(changed).toMatchObject({
    name: 'Poster',
    workflow: { 4: { inputs: { image: ['3', 0], width: 64 } } },
  });
  expect(args.workflow[4].inputs.width).toBe(512);
  expect(withField(args, width, '6x')).toMatchObject({ workflow: { 4: { inputs: { width: '6x' } } } });
});
