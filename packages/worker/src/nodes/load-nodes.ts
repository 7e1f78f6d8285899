import { openPicture } from '../files/picture.ts';
import { hashOfFile, type WorkerFiles } from '../files/worker-files.ts';
import { channelMask } from './channel-mask.ts';
import { choice } from './inputs.ts';
import { checkBatchSize } from './limits.ts';
import { defineNode, type Input, type NodeClass, type NodeRun } from './node-class.ts';
import { channels, type ImageValue, type MaskValue } from './values.ts';

/** A file of the input folder. `subfolder/name.png` and `name.png [output]` name files in other folders. */
const imageFile = (): Input<string> => ({
  type: 'COMBO',
  options: { image_upload: true },
  list: (files) => files.imageInputs(),
  validate: async (value, files) => {
    const found = typeof value === 'string' ? await files.findAnnotated(value) : undefined;
    return found === undefined ? `Invalid image file: ${String(value)}` : true;
  },
});

/** The content of the file counts, so that a file that is uploaded again under the same name is read again. */
async function fingerprint({ image }: { image: string }, files: WorkerFiles): Promise<string> {
  return await hashOfFile(await pathOf(image, files));
}

export const loadNodes: readonly NodeClass[] = [
  defineNode('LoadImage', {
    displayName: 'Load Image',
    category: 'image',
    required: { image: imageFile() },
    outputs: ['IMAGE', 'MASK'],
    fingerprint,
    execute: async ({ image }, run) => {
      const picture = await decode(image, run);
      return { values: [picture.image, alphaMask(picture)] };
    },
  }),
  defineNode('LoadImageMask', {
    displayName: 'Load Image (as Mask)',
    category: 'mask',
    required: { image: imageFile(), channel: choice(['alpha', 'red', 'green', 'blue']) },
    outputs: ['MASK'],
    fingerprint,
    execute: async ({ image, channel }, run) => {
      const picture = await decode(image, run);
      return {
        values: [channel === 'alpha' ? alphaMask(picture) : await colourMask(picture.image, channel, run)],
      };
    },
  }),
];

interface Decoded {
  image: ImageValue;
  /** One byte per pixel for each frame; undefined when the file has no transparency. */
  alphas: Uint8Array[] | undefined;
}

/**
 * RGB of all frames, rotated as the camera noted. A frame whose size differs from the first is left out, as in ComfyUI.
 */
async function decode(name: string, run: NodeRun): Promise<Decoded> {
  const path = await pathOf(name, run.files);
  const options = { limitInputPixels: run.limits.maxBatchPixels };
  const {
    pages = 1,
    width,
    height,
    pageHeight = height,
    hasAlpha,
  } = await (await openPicture(path, options)).metadata();
  checkBatchSize({ width, height: pageHeight, frames: pages }, run.limits);
  const frames: Uint8Array[] = [];
  const alphas: Uint8Array[] = [];
  let size: { width: number; height: number } | undefined;
  for (let page = 0; page < pages; page += 1) {
    const { data, info } = await (await openPicture(path, pages > 1 ? { ...options, page } : options))
      .autoOrient()
      .toColourspace('srgb')
      .ensureAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    await run.breathe();
    size ??= { width: info.width, height: info.height };
    if (info.width !== size.width || info.height !== size.height) continue;
    const split = splitAlpha(data);
    frames.push(split.colours);
    alphas.push(split.alpha);
  }
  if (size === undefined) throw new RangeError('The file holds no picture.');
  return { image: { ...size, frames }, alphas: hasAlpha ? alphas : undefined };
}

function splitAlpha(rgba: Uint8Array): { colours: Uint8Array; alpha: Uint8Array } {
  const pixels = rgba.length / 4;
  const colours = new Uint8Array(pixels * channels);
  const alpha = new Uint8Array(pixels);
  for (let from = 0, to = 0, pixel = 0; pixel < pixels; from += 4, to += 3, pixel += 1) {
    colours[to] = rgba[from] as number;
    colours[to + 1] = rgba[from + 1] as number;
    colours[to + 2] = rgba[from + 2] as number;
    alpha[pixel] = rgba[from + 3] as number;
  }
  return { colours, alpha };
}

/** 1 where the picture is transparent. A picture without transparency gives ComfyUI's 64 × 64 zeros. */
function alphaMask({ image: { width, height }, alphas }: Decoded): MaskValue {
  if (alphas === undefined) return { width: 64, height: 64, frames: [new Float32Array(64 * 64)] };
  return {
    width,
    height,
    frames: alphas.map(transparency),
  };
}

function transparency(alpha: Uint8Array): Float32Array {
  const mask = new Float32Array(alpha.length);
  for (let pixel = 0; pixel < alpha.length; pixel += 1) mask[pixel] = 1 - (alpha[pixel] as number) / 255;
  return mask;
}

async function colourMask(
  { width, height, frames }: ImageValue,
  colour: 'red' | 'green' | 'blue',
  run: NodeRun,
): Promise<MaskValue> {
  const masks: Float32Array[] = [];
  for (const frame of frames) masks.push(await channelMask({ frame, width, height }, colour, run));
  return { width, height, frames: masks };
}

async function pathOf(name: string, files: WorkerFiles): Promise<string> {
  const path = await files.findAnnotated(name);
  if (path === undefined) throw new RangeError(`Invalid image file: ${name}`);
  return path;
}
