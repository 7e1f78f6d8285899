import type { Draft } from './field-draft.ts';
import type { FieldSpec } from './field-spec.ts';

export interface Size {
  width: number;
  height: number;
}

/** The ratios that pictures and films have, upright ones by a turn. */
export const ratios = ['1:1', '5:4', '4:3', '3:2', '16:10', '16:9', '21:9'] as const;
export type Ratio = (typeof ratios)[number];

/** Sides are multiples of the node's step, so a size is seldom exactly in its ratio. */
const tolerance = 0.03;
const pixelsPerMega = 1_000_000;

/** Returns the size in two drafts; null while one of them is not a number yet. */
export function sizeIn(width: Draft | undefined, height: Draft | undefined): Size | null {
  const [w, h] = [Number(width || Number.NaN), Number(height || Number.NaN)];
  return w > 0 && h > 0 ? { width: w, height: h } : null;
}

export function megapixelsOf({ width, height }: Size): number {
  return (width * height) / pixelsPerMega;
}

/** Returns the ratio that a size has, lying or upright; null when it has none of them. */
export function ratioOf({ width, height }: Size): Ratio | null {
  const value = Math.max(width, height) / Math.min(width, height);
  const near = ratios.filter((ratio) => Math.abs(quotientOf(ratio) / value - 1) < tolerance);
  return (
    near.toSorted((a, b) => Math.abs(quotientOf(a) - value) - Math.abs(quotientOf(b) - value))[0] ?? null
  );
}

/** Returns the size with another ratio and as many pixels, and as upright as it was. */
export function withRatio(size: Size, ratio: Ratio, sides: Sides): Size {
  const value = quotientOf(ratio);
  return fitted(size.width >= size.height ? value : 1 / value, size.width * size.height, sides);
}

/** Returns the size with as many pixels, and its ratio. */
export function withMegapixels(size: Size, megapixels: number, sides: Sides): Size {
  const ratio = ratioOf(size);
  const exact = size.width / size.height;
  const value =
    ratio === null ? exact : size.width >= size.height ? quotientOf(ratio) : 1 / quotientOf(ratio);
  return fitted(value, megapixels * pixelsPerMega, sides);
}

export type Sides = Record<'width' | 'height', Pick<FieldSpec, 'minimum' | 'maximum' | 'step'>>;

function fitted(value: number, pixels: number, { width, height }: Sides): Size {
  const exact = Math.sqrt(pixels * value);
  return { width: sideNear(exact, width), height: sideNear(exact / value, height) };
}

/** The nearest side that the node takes: steps count from zero, as workers count them. */
function sideNear(side: number, { minimum, maximum, step }: Sides['width']): number {
  const by = Math.max(1, step ?? 1);
  const low = Math.ceil(Math.max(1, minimum ?? 1) / by) * by;
  const high = Math.floor((maximum ?? Number.MAX_SAFE_INTEGER) / by) * by;
  return Math.min(Math.max(Math.round(side / by) * by, low), Math.max(low, high));
}

function quotientOf(ratio: Ratio): number {
  const [long = 1, short = 1] = ratio.split(':').map(Number);
  return long / short;
}
