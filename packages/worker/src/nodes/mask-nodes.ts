import { channelMask } from './channel-mask.ts';
import { mapFrames } from './frames.ts';
import { choice, decimal, image, mask, side } from './inputs.ts';
import { checkBatchSize } from './limits.ts';
import { defineNode, type NodeClass } from './node-class.ts';
import { channels, toByte } from './values.ts';

export const maskNodes: readonly NodeClass[] = [
  defineNode('SolidMask', {
    category: 'mask',
    required: {
      value: decimal({ default: 1, min: 0, max: 1, step: 0.01 }),
      width: side(512),
      height: side(512),
    },
    outputs: ['MASK'],
    execute: async ({ value, width, height }, { limits }) => {
      checkBatchSize({ width, height, frames: 1 }, limits);
      return { values: [{ width, height, frames: [new Float32Array(width * height).fill(value)] }] };
    },
  }),
  defineNode('InvertMask', {
    category: 'mask',
    required: { mask: mask() },
    outputs: ['MASK'],
    execute: async ({ mask: given }, run) => {
      const frames = await mapFrames(given.frames, run, { make: (frame) => frame.map((value) => 1 - value) });
      return { values: [{ ...given, frames }] };
    },
  }),
  defineNode('MaskToImage', {
    displayName: 'Convert Mask to Image',
    category: 'mask',
    required: { mask: mask() },
    outputs: ['IMAGE'],
    execute: async ({ mask: given }, run) => {
      const frames = await mapFrames(given.frames, run, { make: greyFrame });
      return { values: [{ ...given, frames }] };
    },
  }),
  defineNode('ImageToMask', {
    displayName: 'Convert Image to Mask',
    category: 'mask',
    required: { image: image(), channel: choice(['red', 'green', 'blue', 'alpha']) },
    outputs: ['MASK'],
    execute: async ({ image: { width, height, frames }, channel }, run) => ({
      values: [
        {
          width,
          height,
          frames: await mapFrames(frames, run, { make: (frame) => channelMask(frame, channel) }),
        },
      ],
    }),
  }),
];

function greyFrame(frame: Float32Array): Uint8Array {
  const picture = new Uint8Array(frame.length * channels);
  for (let pixel = 0; pixel < frame.length; pixel += 1)
    picture.fill(toByte((frame[pixel] as number) * 255), pixel * channels, (pixel + 1) * channels);
  return picture;
}
