import { PythonError } from '../prompt/python.ts';
import { mapImage } from './frames.ts';
import { decimal, image, integer } from './inputs.ts';
import { defineNode, type NodeClass, type NodeRun } from './node-class.ts';
import { resample } from './resample.ts';
import { kernelTaps } from './taps.ts';
import { channels, type ImageValue, toByte } from './values.ts';

const radius = () => integer({ default: 1, min: 1, max: 31, step: 1 });

export const filterNodes: readonly NodeClass[] = [
  defineNode('ImageBlur', {
    displayName: 'Image Blur',
    category: 'image/postprocessing',
    required: {
      image: image(),
      blur_radius: radius(),
      sigma: decimal({ default: 1, min: 0.1, max: 10, step: 0.1 }),
    },
    outputs: ['IMAGE'],
    execute: async ({ image: picture, blur_radius, sigma }, run) => {
      const blur = blurOf(picture, { radius: blur_radius, sigma }, run);
      const make = (frame: Uint8Array) => blur(frame, (soft) => soft);
      return { values: [await mapImage(picture, run, { size: picture, make })] };
    },
  }),
  defineNode('ImageSharpen', {
    displayName: 'Image Sharpen',
    category: 'image/postprocessing',
    required: {
      image: image(),
      sharpen_radius: radius(),
      sigma: decimal({ default: 1, min: 0.1, max: 10, step: 0.01 }),
      alpha: decimal({ default: 1, min: 0, max: 5, step: 0.01 }),
    },
    outputs: ['IMAGE'],
    execute: async ({ image: picture, sharpen_radius, sigma, alpha }, run) => {
      const blur = blurOf(picture, { radius: sharpen_radius, sigma }, run);
      const strength = alpha * 10;
      const make = (frame: Uint8Array) => blur(frame, (soft, value) => value + strength * (value - soft));
      return { values: [await mapImage(picture, run, { size: picture, make })] };
    },
  }),
];

/** Returns a function that blurs a frame and computes each byte from the blurred and the original value. */
function blurOf(picture: ImageValue, shape: { radius: number; sigma: number }, run: NodeRun) {
  if (shape.radius >= Math.min(picture.width, picture.height))
    throw new PythonError(
      'RuntimeError',
      `A radius of ${shape.radius} needs a picture that is larger than that.`,
    );
  const kernel = gaussian(shape);
  const taps = { across: kernelTaps(picture.width, kernel), down: kernelTaps(picture.height, kernel) };
  const { width, height } = picture;
  return async (data: Uint8Array, combine: (soft: number, value: number) => number): Promise<Uint8Array> => {
    const result = new Uint8Array(data.length);
    await resample({ data, width, height, channels }, { taps, run }, (row, index) => {
      for (let at = 0, to = index * row.length; at < row.length; at += 1, to += 1)
        result[to] = toByte(combine(row[at] as number, data[to] as number));
    });
    return result;
  };
}

/** Sigma counts in half-widths of the kernel, not in pixels: ComfyUI lays the kernel from −1 to 1. */
function gaussian({ radius: reach, sigma }: { radius: number; sigma: number }): number[] {
  const raw = Array.from({ length: 2 * reach + 1 }, (_, tap) =>
    Math.exp(-((tap / reach - 1) ** 2) / (2 * sigma * sigma)),
  );
  const sum = raw.reduce((total, weight) => total + weight, 0);
  return raw.map((weight) => weight / sum);
}
