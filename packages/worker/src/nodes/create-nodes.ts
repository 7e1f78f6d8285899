import { integer, side } from './inputs.ts';
import { checkBatchSize } from './limits.ts';
import { defineNode, type NodeClass } from './node-class.ts';
import { channels } from './values.ts';

export const createNodes: readonly NodeClass[] = [
  defineNode('EmptyImage', {
    category: 'image',
    required: {
      width: side(512),
      height: side(512),
      batch_size: integer({ default: 1, min: 1, max: 4096 }),
      color: { ...integer({ default: 0, min: 0, max: 0xffffff, step: 1 }) },
    },
    outputs: ['IMAGE'],
    execute: async ({ width, height, batch_size: count, color }, { limits }) => {
      checkBatchSize({ width, height, frames: count }, limits);
      const frame = Buffer.alloc(
        width * height * channels,
        Buffer.from([color >> 16, (color >> 8) & 255, color & 255]),
      );
      return { values: [{ width, height, frames: new Array<Uint8Array>(count).fill(frame) }] };
    },
  }),
];
