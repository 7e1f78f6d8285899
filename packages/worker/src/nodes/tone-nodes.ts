import { forEachRow, mapFrames, mapImage, rawPicture } from './frames.ts';
import { choice, decimal, image, integer } from './inputs.ts';
import { defineNode, type NodeClass } from './node-class.ts';
import { type Dither, dithers, quantize } from './quantize.ts';
import { resizeImage } from './resample.ts';
import { channels, pairedFrames, toByte } from './values.ts';

const blendModes = ['normal', 'multiply', 'screen', 'overlay', 'soft_light', 'difference'] as const;
type BlendMode = (typeof blendModes)[number];

export const toneNodes: readonly NodeClass[] = [
  defineNode('ImageInvert', {
    displayName: 'Invert Image',
    category: 'image',
    required: { image: image() },
    outputs: ['IMAGE'],
    execute: async ({ image: picture }, run) => {
      const make = async (frame: Uint8Array) => await rawPicture(frame, picture).negate().raw().toBuffer();
      return { values: [await mapImage(picture, run, { size: picture, make })] };
    },
  }),
  defineNode('ImageBlend', {
    displayName: 'Image Blend',
    category: 'image/postprocessing',
    required: {
      image1: image(),
      image2: image(),
      blend_factor: decimal({ default: 0.5, min: 0, max: 1, step: 0.01 }),
      blend_mode: choice<BlendMode>(blendModes),
    },
    outputs: ['IMAGE'],
    execute: async ({ image1, image2, blend_factor: factor, blend_mode: mode }, run) => {
      const { width, height } = image1;
      const second = await resizeImage(image2, { width, height, method: 'bicubic', crop: 'center' }, run);
      const table = blendTable(mode, factor);
      const frames = await mapFrames(pairedFrames(image1.frames, second.frames), run, {
        make: async ([lower, upper]) => {
          const result = new Uint8Array(lower.length);
          const rowLength = width * channels;
          await forEachRow({ width: rowLength, height }, run, (row) => {
            for (let at = row * rowLength; at < (row + 1) * rowLength; at += 1)
              result[at] = table[((lower[at] as number) << 8) | (upper[at] as number)] as number;
          });
          return result;
        },
      });
      return { values: [{ width, height, frames }] };
    },
  }),
  defineNode('ImageQuantize', {
    displayName: 'Image Quantize',
    category: 'image/postprocessing',
    required: {
      image: image(),
      colors: integer({ default: 256, min: 1, max: 256, step: 1 }),
      dither: choice<Dither>(dithers),
    },
    outputs: ['IMAGE'],
    execute: async ({ image: picture, colors, dither }, run) => {
      const make = (frame: Uint8Array) => quantize({ ...picture, frame }, { colors, dither }, run);
      return { values: [await mapImage(picture, run, { size: picture, make })] };
    },
  }),
];

/** The result for every pair of bytes, at `(lower << 8) | upper`. A table is quicker than computing each pixel. */
function blendTable(mode: BlendMode, factor: number): Uint8Array {
  const table = new Uint8Array(256 * 256);
  for (let lower = 0; lower < 256; lower += 1) {
    for (let upper = 0; upper < 256; upper += 1) {
      const a = lower / 255;
      const mixed = a * (1 - factor) + blended(mode, a, upper / 255) * factor;
      table[(lower << 8) | upper] = toByte(mixed * 255);
    }
  }
  return table;
}

function blended(mode: BlendMode, a: number, b: number): number {
  switch (mode) {
    case 'normal':
      return b;
    case 'multiply':
      return a * b;
    case 'screen':
      return 1 - (1 - a) * (1 - b);
    case 'overlay':
      return a <= 0.5 ? 2 * a * b : 1 - 2 * (1 - a) * (1 - b);
    case 'soft_light':
      return b <= 0.5 ? a - (1 - 2 * b) * a * (1 - a) : a + (2 * b - 1) * (softCurve(a) - a);
    case 'difference':
      return a - b;
  }
}

function softCurve(a: number): number {
  return a <= 0.25 ? ((16 * a - 12) * a + 4) * a : Math.sqrt(a);
}
