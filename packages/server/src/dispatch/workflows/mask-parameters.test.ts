import { expect, it } from 'vitest';
import type { Graph } from '../graphs/graph.ts';
import { withMasks } from './mask-parameters.ts';
import { parametersOf } from './saved-workflow-parameters.ts';

const graph: Graph = {
  photo: { class_type: 'LoadImage', inputs: { image: 'photo.png' } },
  plain: { class_type: 'LoadImage', inputs: { image: '{{plain}}' } },
  mask: { class_type: 'LoadImageMask', inputs: { image: '{{mask}}', channel: 'red' } },
  invert: { class_type: 'InvertMask', inputs: { mask: ['photo', 1] } },
  scale: { class_type: 'ImageInvert', inputs: { image: ['plain', 0] } },
  other: { class_type: 'ImageInvert', inputs: { image: ['mask', 1] } },
};
const known = new Map(
  ['LoadImage', 'LoadImageMask'].map((name) => [name, { image: { type: 'file' as const } }]),
);

it('take a mask in the alpha of a picture whose mask is used, and in each channel of a picture that is one', () => {
  const parameters = withMasks(graph, parametersOf(graph, { known }));
  const taken = parameters.map(({ sets: [first], mask }) => [first?.node, first?.input, mask]);
  expect(taken).toContainEqual(['photo', 'image', 'alpha']);
  expect(taken).toContainEqual(['plain', 'image', undefined]);
  expect(taken).toContainEqual(['mask', 'image', 'channel']);
  expect(taken).toContainEqual(['mask', 'channel', undefined]);
});
