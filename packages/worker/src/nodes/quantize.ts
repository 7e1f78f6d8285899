import { forEachRow } from './frames.ts';
import type { NodeRun } from './node-class.ts';
import { blue, type Colour, green, medianCut, nearestIn, red } from './palette.ts';
import { channels } from './values.ts';

export const dithers = ['none', 'floyd-steinberg', 'bayer-2', 'bayer-4', 'bayer-8', 'bayer-16'] as const;
export type Dither = (typeof dithers)[number];

interface Picture {
  frame: Uint8Array;
  width: number;
  height: number;
}

/** A small number of colours, chosen for this frame. sharp's palette supports only 2, 4, 16 and 256 colours. */
export async function quantize(
  picture: Picture,
  { colors, dither }: { colors: number; dither: Dither },
  run: NodeRun,
): Promise<Uint8Array> {
  const palette = medianCut(picture.frame, colors);
  if (dither === 'floyd-steinberg') return await diffused(picture, palette, run);
  const order = dither === 'none' ? 0 : Number(dither.slice('bayer-'.length));
  return await ordered(picture, { palette, order }, run);
}

/** Each pixel is moved by a fixed pattern before the nearest colour is taken; order 0 moves nothing. */
async function ordered(
  { frame, width, height }: Picture,
  { palette, order }: { palette: Colour[]; order: number },
  run: NodeRun,
): Promise<Uint8Array> {
  const nearest = nearestIn(palette);
  const pattern =
    order === 0 ? [0] : bayerMatrix(Math.log2(order)).map((value) => (512 / palette.length) * value + 0.5);
  const side = Math.sqrt(pattern.length);
  const result = new Uint8Array(frame.length);
  await forEachRow({ width, height }, run, (row) => {
    for (let column = 0; column < width; column += 1) {
      const shift = pattern[(row % side) * side + (column % side)] as number;
      const at = (row * width + column) * channels;
      const moved = (channel: number) => clampByte((frame[at + channel] as number) + shift);
      write(result, at, nearest((moved(0) << 16) | (moved(1) << 8) | moved(2)));
    }
  });
  return result;
}

/** Spreads the error of each pixel to its neighbours: 7, 3, 5 and 1 sixteenths. */
async function diffused(
  { frame, width, height }: Picture,
  palette: Colour[],
  run: NodeRun,
): Promise<Uint8Array> {
  const nearest = nearestIn(palette);
  const result = new Uint8Array(frame.length);
  let here = new Float32Array((width + 2) * channels);
  await forEachRow({ width, height }, run, (row) => {
    const below = new Float32Array((width + 2) * channels);
    for (let column = 0; column < width; column += 1) {
      const at = (row * width + column) * channels;
      const slot = (column + 1) * channels;
      const wanted = [0, 1, 2].map((channel) =>
        clampByte(Math.round((frame[at + channel] as number) + (here[slot + channel] as number))),
      );
      write(
        result,
        at,
        nearest(((wanted[0] as number) << 16) | ((wanted[1] as number) << 8) | (wanted[2] as number)),
      );
      for (let channel = 0; channel < channels; channel += 1) {
        const error = (wanted[channel] as number) - (result[at + channel] as number);
        (here[slot + channels + channel] as number) += (error * 7) / 16;
        (below[slot - channels + channel] as number) += (error * 3) / 16;
        (below[slot + channel] as number) += (error * 5) / 16;
        (below[slot + channels + channel] as number) += error / 16;
      }
    }
    here = below;
  });
  return result;
}

/** −½ to ½, row by row, of side 2ⁿ. */
function bayerMatrix(n: number): number[] {
  if (n === 0) return [0];
  const inner = bayerMatrix(n - 1);
  const innerSide = 2 ** (n - 1);
  const quarters = [-1.5, 0.5, 1.5, -0.5];
  return Array.from({ length: 4 ** n }, (_, index) => {
    const row = Math.floor(index / (2 * innerSide));
    const column = index % (2 * innerSide);
    const quarter = quarters[2 * Math.floor(row / innerSide) + Math.floor(column / innerSide)] as number;
    return (inner[(row % innerSide) * innerSide + (column % innerSide)] as number) + quarter / 4 ** n;
  });
}

function write(target: Uint8Array, at: number, colour: Colour): void {
  target[at] = red(colour);
  target[at + 1] = green(colour);
  target[at + 2] = blue(colour);
}

function clampByte(value: number): number {
  return Math.floor(Math.min(255, Math.max(0, value)));
}
