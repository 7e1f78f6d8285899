import { cropRows } from './crop.ts';
import { forEachRow, mapImage } from './frames.ts';
import { checkBatchSize } from './limits.ts';
import type { NodeRun } from './node-class.ts';
import { type ResizeMethod, resizeTaps, type Taps } from './taps.ts';
import { channels, type ImageValue, type MaskValue, toByte } from './values.ts';

export interface Plane {
  data: Uint8Array | Float32Array;
  width: number;
  height: number;
  channels: number;
}

/**
 * Row by row: first the source rows that make up a target row are mixed, then that row's columns. So memory never holds
 * a second picture in floats, however large it is. The returned row is reused for the next one.
 */
export async function resample(
  plane: Plane,
  { taps, run }: { taps: { across: Taps; down: Taps }; run: NodeRun },
  writeRow: (row: Float32Array, index: number) => void,
): Promise<void> {
  const mixed = new Float32Array(plane.width * plane.channels);
  const row = new Float32Array(taps.across.length * plane.channels);
  const work = {
    width: mixed.length * taps.down.count + row.length * taps.across.count,
    height: taps.down.length,
  };
  await forEachRow(work, run, (index) => {
    mixRows(plane, index, { taps: taps.down, mixed });
    mixColumns(mixed, { taps: taps.across, row, depth: plane.channels });
    writeRow(row, index);
  });
}

function mixRows({ data }: Plane, index: number, { taps, mixed }: { taps: Taps; mixed: Float32Array }): void {
  const { count, positions, weights } = taps;
  mixed.fill(0);
  for (let tap = index * count; tap < (index + 1) * count; tap += 1) {
    const weight = weights[tap] as number;
    if (weight === 0) continue;
    const from = (positions[tap] as number) * mixed.length;
    for (let at = 0; at < mixed.length; at += 1)
      mixed[at] = (mixed[at] as number) + weight * (data[from + at] as number);
  }
}

function mixColumns(
  mixed: Float32Array,
  { taps, row, depth }: { taps: Taps; row: Float32Array; depth: number },
): void {
  const { length, count, positions, weights } = taps;
  for (let channel = 0; channel < depth; channel += 1) {
    for (let index = 0; index < length; index += 1) {
      let sum = 0;
      for (let tap = index * count; tap < (index + 1) * count; tap += 1)
        sum += (weights[tap] as number) * (mixed[(positions[tap] as number) * depth + channel] as number);
      row[index * depth + channel] = sum;
    }
  }
}

/** Pillow rounds to the nearest value; everything else in ComfyUI rounds down when it saves. */
const roundedByte = (value: number) => Math.round(Math.min(255, Math.max(0, value)));

export interface ResizeTarget {
  width: number;
  height: number;
  method: ResizeMethod;
  /** `center` cuts the longer side so that nothing is stretched. */
  crop: 'disabled' | 'center';
}

export async function resizeImage(
  image: ImageValue,
  target: ResizeTarget,
  run: NodeRun,
): Promise<ImageValue> {
  const { width, height, method } = target;
  checkBatchSize({ width, height, frames: image.frames.length }, run.limits);
  const part = target.crop === 'center' ? centredPart(image, target) : { x: 0, y: 0, ...sizeOf(image) };
  const taps = {
    across: resizeTaps(part.width, width, method),
    down: resizeTaps(part.height, height, method),
  };
  const round = method === 'lanczos' ? roundedByte : toByte;
  return await mapImage(image, run, {
    size: { width, height },
    make: async (frame) => {
      const data = cropRows(frame, image, part);
      if (part.width === width && part.height === height) return data;
      const bytes = new Uint8Array(width * height * channels);
      await resample({ data, ...sizeOf(part), channels }, { taps, run }, (row, index) => {
        for (let at = 0, to = index * row.length; at < row.length; at += 1, to += 1)
          bytes[to] = round(row[at] as number);
      });
      return bytes;
    },
  });
}

/** Masks are only ever stretched, bilinearly. */
export async function resizeMask(
  mask: MaskValue,
  { width, height }: { width: number; height: number },
  run: NodeRun,
): Promise<MaskValue> {
  if (mask.width === width && mask.height === height) return mask;
  const taps = {
    across: resizeTaps(mask.width, width, 'bilinear'),
    down: resizeTaps(mask.height, height, 'bilinear'),
  };
  const frames: Float32Array[] = [];
  for (const data of mask.frames) {
    const floats = new Float32Array(width * height);
    const plane = { data, ...sizeOf(mask), channels: 1 };
    await resample(plane, { taps, run }, (row, index) => floats.set(row, index * width));
    frames.push(floats);
  }
  return { width, height, frames };
}

function centredPart(image: { width: number; height: number }, target: { width: number; height: number }) {
  const { width, height } = image;
  const aspect = width / height;
  const wanted = target.width / target.height;
  const x = aspect > wanted ? roundHalfToEven((width - width * (wanted / aspect)) / 2) : 0;
  const y = aspect < wanted ? roundHalfToEven((height - height * (aspect / wanted)) / 2) : 0;
  return { x, y, width: width - 2 * x, height: height - 2 * y };
}

/** Python's `round`. */
export function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

function sizeOf({ width, height }: { width: number; height: number }): { width: number; height: number } {
  return { width, height };
}
