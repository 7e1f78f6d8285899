import { expect, it } from 'vitest';
import { axesOf, countOfSeeds, valuesOfAxis } from './sweep-options.ts';

it.each([
  ['steps=10,20', { param: 'steps', values: [10, 20] }],
  ['cfg=-1.5..9/0.5', { param: 'cfg', range: { from: -1.5, to: 9, step: 0.5 } }],
  ['model=a.safetensors,b.ckpt', { param: 'model', values: ['a.safetensors', 'b.ckpt'] }],
  ['prompt=["red, blue","a=b"]', { param: 'prompt', values: ['red, blue', 'a=b'] }],
])('reads the axis %s', (text, axis) => {
  expect(axesOf([text], valuesOfAxis)).toEqual([axis]);
});

it('refuses an axis without a parameter, and seeds that are not a number', () => {
  expect(() => axesOf(['10,20'], valuesOfAxis)).toThrow('write key=…');
  expect(axesOf(['seed=4'], countOfSeeds)).toEqual([{ param: 'seed', seeds: 4 }]);
  expect(() => axesOf(['seed=four'], countOfSeeds)).toThrow('not a number of seeds');
});
