import { type BlendMode, blendModes, blendTable } from './blend.ts';
import { forEachRow, mapFrames, mapImage, rawPicture } from './frames.ts';
import { choice, decimal, image, integer } from './inputs.ts';
import { defineNode, type NodeClass } from './node-class.ts';
import { type Dither, dithers, quantize } from './quantize.ts';
import { resizeImage } from './resample.ts';
import { channels, pairedFrames } from './values.ts';

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
