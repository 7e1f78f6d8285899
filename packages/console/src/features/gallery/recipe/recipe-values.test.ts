import { expect, it } from 'vitest';
import { changedValue, recipeValues } from './recipe-values.ts';

it('lists the plain values of a graph as the task had them', () => {
  const workflow = {
    '1': { class_type: 'KSampler', inputs: { steps: 20, model: ['4', 0], tiled: false } },
    '2': { class_type: 'Load', inputs: { image: 'cat.png' }, _meta: { title: 'Picture' } },
    '3': null,
  };
  expect(recipeValues(workflow, { '1.steps': 30, '2.image': { $file: 'f1' } })).toEqual([
    { key: '1.steps', title: 'KSampler', input: 'steps', value: 30 },
    { key: '1.tiled', title: 'KSampler', input: 'tiled', value: false },
  ]);
});

it('reads what was typed as the type that the value had', () => {
  expect(changedValue(20, '30')).toBe(30);
  expect(changedValue(20, '20')).toBeUndefined();
  expect(changedValue(20, 'many')).toBeUndefined();
  expect(changedValue(20, ' ')).toBeUndefined();
  expect(changedValue(false, 'true')).toBe(true);
  expect(changedValue('a', '7')).toBe('7');
});
