import { channelMask } from './channel-mask.ts';
import { forEachPixel, mapFrames } from './frames.ts';
import { choice, decimal, image, mask, side } from './inputs.ts';
import { checkBatchSize } from './limits.ts';
import { defineNode, type NodeClass, type NodeRun } from './node-class.ts';
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
      const frames = await mapFrames(given.frames, run, {
        make: (frame) => invertedMask(frame, given, run),
      });
      return { values: [{ ...given, frames }] };
    },
  }),
  defineNode('MaskToImage', {
    displayName: 'Convert Mask to Image',
    category: 'mask',
    required: { mask: mask() },
    outputs: ['IMAGE'],
    execute: async ({ mask: given }, run) => {
      const frames = await mapFrames(given.frames, run, { make: (frame) => greyFrame(frame, given, run) });
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
          frames: await mapFrames(frames, run, {
            make: (frame) => channelMask({ frame, width, height }, channel, run),
          }),
        },
      ],
    }),
  }),
];

async function invertedMask(frame: Float32Array, size: Size, run: NodeRun): Promise<Float32Array> {
  const result = new Float32Array(frame.length);
  await forEachPixel(size, run, (pixel) => {
    result[pixel] = 1 - (frame[pixel] as number);
  });
  return result;
}

async function greyFrame(frame: Float32Array, size: Size, run: NodeRun): Promise<Uint8Array> {
  const picture = new Uint8Array(frame.length * channels);
  await forEachPixel(size, run, (pixel) => {
    const value = toByte((frame[pixel] as number) * 255);
    picture[pixel * channels] = value;
    picture[pixel * channels + 1] = value;
    picture[pixel * channels + 2] = value;
  });
  return picture;
}

interface Size {
  width: number;
  height: number;
}
