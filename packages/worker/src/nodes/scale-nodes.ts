import { choice, decimal, image, side } from './inputs.ts';
import { defineNode, type NodeClass } from './node-class.ts';
import { resizeImage, roundHalfToEven } from './resample.ts';
import { resizeMethods } from './taps.ts';
import type { ImageValue } from './values.ts';

export const scaleNodes: readonly NodeClass[] = [
  defineNode('ImageScale', {
    displayName: 'Upscale Image',
    category: 'image/upscaling',
    required: {
      image: image(),
      upscale_method: choice(resizeMethods),
      width: side(512, 0),
      height: side(512, 0),
      crop: choice(['disabled', 'center']),
    },
    outputs: ['IMAGE'],
    execute: async ({ image: picture, upscale_method: method, width, height, crop }, run) => {
      if (width === 0 && height === 0) return { values: [picture] };
      const size = keepRatio(picture, { width, height });
      return { values: [await resizeImage(picture, { ...size, method, crop }, run)] };
    },
  }),
  defineNode('ImageScaleBy', {
    displayName: 'Upscale Image By',
    category: 'image/upscaling',
    required: {
      image: image(),
      upscale_method: choice(resizeMethods),
      scale_by: decimal({ default: 1, min: 0.01, max: 8, step: 0.01 }),
    },
    outputs: ['IMAGE'],
    execute: async ({ image: picture, upscale_method: method, scale_by: scale }, run) => ({
      values: [await resizeImage(picture, { ...scaled(picture, scale), method, crop: 'disabled' }, run)],
    }),
  }),
  defineNode('ImageScaleToTotalPixels', {
    displayName: 'Scale Image to Total Pixels',
    category: 'image/upscaling',
    required: {
      image: image(),
      upscale_method: choice(resizeMethods),
      megapixels: decimal({ default: 1, min: 0.01, max: 16, step: 0.01 }),
    },
    outputs: ['IMAGE'],
    execute: async ({ image: picture, upscale_method: method, megapixels }, run) => {
      const scale = Math.sqrt((megapixels * 1024 * 1024) / (picture.width * picture.height));
      return {
        values: [await resizeImage(picture, { ...scaled(picture, scale), method, crop: 'disabled' }, run)],
      };
    },
  }),
];

/** A side of 0 is computed from the other one. */
function keepRatio(picture: ImageValue, { width, height }: { width: number; height: number }) {
  const follow = (other: number, ratio: number) => Math.max(1, roundHalfToEven(other * ratio));
  return {
    width: width === 0 ? follow(height, picture.width / picture.height) : width,
    height: height === 0 ? follow(width, picture.height / picture.width) : height,
  };
}

function scaled(picture: ImageValue, scale: number) {
  return { width: roundHalfToEven(picture.width * scale), height: roundHalfToEven(picture.height * scale) };
}
