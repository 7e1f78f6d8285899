import { image, integer } from './inputs.ts';
import { checkBatchSize } from './limits.ts';
import { defineNode, type NodeClass } from './node-class.ts';
import { resizeImage } from './resample.ts';
import { repeatToLength } from './values.ts';

export const batchNodes: readonly NodeClass[] = [
  defineNode('ImageBatch', {
    displayName: 'Batch Images',
    category: 'image',
    required: { image1: image(), image2: image() },
    outputs: ['IMAGE'],
    execute: async ({ image1, image2 }, run) => {
      const { width, height } = image1;
      checkBatchSize({ width, height, frames: image1.frames.length + image2.frames.length }, run.limits);
      const isAlike = image2.width === width && image2.height === height;
      const second = isAlike
        ? image2
        : await resizeImage(image2, { width, height, method: 'bilinear', crop: 'center' }, run);
      return { values: [{ width, height, frames: [...image1.frames, ...second.frames] }] };
    },
  }),
  defineNode('RepeatImageBatch', {
    category: 'image/batch',
    required: { image: image(), amount: integer({ default: 1, min: 1, max: 4096 }) },
    outputs: ['IMAGE'],
    execute: async ({ image: picture, amount }, { limits }) => {
      const { width, height, frames } = picture;
      checkBatchSize({ width, height, frames: frames.length * amount }, limits);
      return { values: [{ width, height, frames: repeatToLength(frames, frames.length * amount) }] };
    },
  }),
  defineNode('ImageFromBatch', {
    category: 'image/batch',
    required: {
      image: image(),
      batch_index: integer({ default: 0, min: 0, max: 4095 }),
      length: integer({ default: 1, min: 1, max: 4096 }),
    },
    outputs: ['IMAGE'],
    execute: async ({ image: picture, batch_index: index, length }) => {
      const start = Math.min(index, picture.frames.length - 1);
      return { values: [{ ...picture, frames: picture.frames.slice(start, start + length) }] };
    },
  }),
];
