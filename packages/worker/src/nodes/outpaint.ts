import { pasteRows } from './crop.ts';
import { mapImage } from './frames.ts';
import { checkBatchSize } from './limits.ts';
import type { NodeRun } from './node-class.ts';
import { channels, type ImageValue, type MaskValue } from './values.ts';

export interface Padding {
  left: number;
  top: number;
  right: number;
  bottom: number;
  /** The distance over which the mask fades into the picture, on the sides that are padded. */
  feathering: number;
}

/** Half of full brightness, rounded down. */
const grey = 127;

export async function padForOutpaint(
  image: ImageValue,
  padding: Padding,
  run: NodeRun,
): Promise<[ImageValue, MaskValue]> {
  const width = image.width + padding.left + padding.right;
  const height = image.height + padding.top + padding.bottom;
  checkBatchSize({ width, height, frames: image.frames.length }, run.limits);
  const padded = await mapImage(image, run, {
    size: { width, height },
    make: (frame) => {
      const target = new Uint8Array(width * height * channels).fill(grey);
      const from = { width: image.width, x: 0, y: 0 };
      pasteRows(frame, { from, into: target, at: { width, x: padding.left, y: padding.top }, part: image });
      return target;
    },
  });
  return [padded, { width, height, frames: [fadedMask(image, padding)] }];
}

/**
 * 1 where something has to be painted, 0 where the picture stays, and the square of the closeness to an edge in
 * between.
 */
function fadedMask(image: Size, padding: Padding): Float32Array {
  const { left, top, right, bottom, feathering } = padding;
  const width = image.width + left + right;
  const mask = new Float32Array(width * (image.height + top + bottom)).fill(1);
  const fades = feathering > 0 && feathering * 2 < image.height && feathering * 2 < image.width;
  for (let y = 0; y < image.height; y += 1) {
    const start = (top + y) * width + left;
    mask.fill(0, start, start + image.width);
    for (let x = 0; fades && x < image.width; x += 1) {
      const near = Math.max(0, feathering - distanceToEdge(image, padding, { x, y }));
      mask[start + x] = (near / feathering) ** 2;
    }
  }
  return mask;
}

/** Only sides that are padded count. */
function distanceToEdge(
  { width, height }: Size,
  padding: Padding,
  { x, y }: { x: number; y: number },
): number {
  return Math.min(
    padding.top === 0 ? height : y,
    padding.bottom === 0 ? height : height - y,
    padding.left === 0 ? width : x,
    padding.right === 0 ? width : width - x,
  );
}

interface Size {
  width: number;
  height: number;
}
