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

/** First along the rows, then down the columns, in floats. */
export async function resample(
  plane: Plane,
  taps: { across: Taps; down: Taps },
  run: NodeRun,
): Promise<Float32Array> {
  const width = taps.across.length;
  const height = taps.down.length;
  const rowLength = width * plane.channels;
  const narrowed = new Float32Array(rowLength * plane.height);
  await forEachRow({ width: rowLength, height: plane.height }, run, (row) => {
    resampleRow(plane, row, { taps: taps.across, target: narrowed });
  });
  const result = new Float32Array(rowLength * height);
  await forEachRow({ width: rowLength, height }, run, (row) => {
    mixRows(narrowed, row, { taps: taps.down, rowLength, target: result });
  });
  return result;
}

function resampleRow(
  { data, width, channels: depth }: Plane,
  row: number,
  { taps, target }: { taps: Taps; target: Float32Array },
): void {
  const { length, count, positions, weights } = taps;
  const from = row * width * depth;
  let to = row * length * depth;
  for (let index = 0; index < length; index += 1) {
    for (let tap = index * count; tap < (index + 1) * count; tap += 1) {
      const weight = weights[tap] as number;
      const position = from + (positions[tap] as number) * depth;
      for (let channel = 0; channel < depth; channel += 1)
        (target[to + channel] as number) += weight * (data[position + channel] as number);
    }
    to += depth;
  }
}

function mixRows(
  rows: Float32Array,
  row: number,
  { taps, rowLength, target }: { taps: Taps; rowLength: number; target: Float32Array },
): void {
  const { count, positions, weights } = taps;
  const to = row * rowLength;
  for (let tap = row * count; tap < (row + 1) * count; tap += 1) {
    const weight = weights[tap] as number;
    if (weight === 0) continue;
    const from = (positions[tap] as number) * rowLength;
    for (let index = 0; index < rowLength; index += 1)
      (target[to + index] as number) += weight * (rows[from + index] as number);
  }
}

export function toBytes(floats: Float32Array, round: (value: number) => number = toByte): Uint8Array {
  return Uint8Array.from(floats, round);
}

/** Pillow rounds to the nearest; everything else in ComfyUI cuts off when it saves. */
const roundedByte = (value: number) => Math.round(Math.min(255, Math.max(0, value)));

export interface ResizeTarget {
  width: number;
  height: number;
  method: ResizeMethod;
  /** `center` cuts the longer side off so that nothing is stretched. */
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
      return toBytes(await resample({ data, ...sizeOf(part), channels }, taps, run), round);
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
  for (const data of mask.frames)
    frames.push(await resample({ data, ...sizeOf(mask), channels: 1 }, taps, run));
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
