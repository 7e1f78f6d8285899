import { mapImage } from './frames.ts';
import { image } from './inputs.ts';
import { defineNode, type NodeClass } from './node-class.ts';

export const toneNodes: readonly NodeClass[] = [
  defineNode('ImageInvert', {
    displayName: 'Invert Image',
    category: 'image',
    required: { image: image() },
    outputs: ['IMAGE'],
    execute: async ({ image: picture }, run) => ({
      values: [
        await mapImage(picture, run, { size: picture, make: (frame) => frame.map((value) => 255 - value) }),
      ],
    }),
  }),
];
