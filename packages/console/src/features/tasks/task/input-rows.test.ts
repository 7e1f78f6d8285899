import { expect, it } from 'vitest';
import { inputGroups } from './input-rows.ts';

const workflow = {
  1: { class_type: 'LoadImage', inputs: { image: 'cat.png' } },
  2: { class_type: 'Blend', inputs: { a: ['1', 0], seed: 7, on: true } },
  3: { class_type: 'Save', inputs: { images: ['2', 0] } },
};

it('shows settings by node and leaves out links between nodes', () => {
  expect(inputGroups(workflow, {})).toEqual([
    { node: '1', title: 'LoadImage', inputs: [{ name: 'image', value: 'cat.png', changed: false }] },
    {
      node: '2',
      title: 'Blend',
      inputs: [
        { name: 'seed', value: '7', changed: false },
        { name: 'on', value: 'true', changed: false },
      ],
    },
  ]);
});

it('shows params in the place of what stands in the graph, and marks them', () => {
  const [, blend] = inputGroups(workflow, { '2.seed': 8 });
  expect(blend?.inputs[0]).toEqual({ name: 'seed', value: '8', changed: true });
  const [load] = inputGroups(workflow, { image: 'dog.png' });
  expect(load?.inputs[0]).toMatchObject({ value: 'dog.png', changed: true });
});

it('shows a graph that is not understood as empty instead of failing', () => {
  expect(inputGroups({ 1: null, 2: 'x', 3: { inputs: {} } }, {})).toEqual([]);
});
