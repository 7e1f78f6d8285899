import sharp, { type Sharp } from 'sharp';
import type { NodeRun, Preview } from './node-class.ts';
import { channels, type ImageValue } from './values.ts';

const previewSide = 512;
/** The work between two pauses: a few milliseconds. */
const stepsPerTurn = 1_000_000;

/** Works on one frame after the other. A batch reports its progress and shows each frame; a single picture does not. */
export async function mapFrames<From, To>(
  frames: readonly From[],
  run: NodeRun,
  {
    make,
    preview,
  }: { make: (frame: From, index: number) => Promise<To> | To; preview?: (made: To) => Promise<Preview> },
): Promise<To[]> {
  const made: To[] = [];
  const known = new Map<From, To>();
  for (const [index, frame] of frames.entries()) {
    const result = known.get(frame) ?? (await make(frame, index));
    known.set(frame, result);
    made.push(result);
    if (frames.length > 1) await run.tick(index + 1, frames.length, preview && (() => preview(result)));
    else await run.breathe();
  }
  return made;
}

/** The usual case: each frame of an image becomes a frame of the given size. */
export async function mapImage(
  image: ImageValue,
  run: NodeRun,
  {
    size,
    make,
  }: {
    size: { width: number; height: number };
    make: (frame: Uint8Array) => Promise<Uint8Array> | Uint8Array;
  },
): Promise<ImageValue> {
  const frames = await mapFrames(image.frames, run, { make, preview: (frame) => previewOf(frame, size) });
  return { width: size.width, height: size.height, frames };
}

/** Raw pixels for sharp, with their shape, which raw pixels do not contain. */
export function rawPicture(frame: Uint8Array, { width, height }: { width: number; height: number }): Sharp {
  return sharp(frame, { raw: { width, height, channels } });
}

/** Level 1: a higher level would take most of the time of a picture. */
export async function encodePng(frame: Uint8Array, size: { width: number; height: number }): Promise<Buffer> {
  return await rawPicture(frame, size).png({ compressionLevel: 1 }).toBuffer();
}

/**
 * Calls a function for each row, and lets the worker serve other requests now and then. `width` is the work of a row,
 * in steps.
 */
export async function forEachRow(
  { width, height }: { width: number; height: number },
  run: NodeRun,
  work: (row: number) => void,
): Promise<void> {
  const rowsPerTurn = Math.max(1, Math.floor(stepsPerTurn / width));
  for (let row = 0; row < height; row += 1) {
    work(row);
    if (row % rowsPerTurn === rowsPerTurn - 1) await run.breathe();
  }
}

/** The same, pixel by pixel. */
export async function forEachPixel(
  size: { width: number; height: number },
  run: NodeRun,
  work: (pixel: number) => void,
): Promise<void> {
  await forEachRow(size, run, (row) => {
    for (let pixel = row * size.width; pixel < (row + 1) * size.width; pixel += 1) work(pixel);
  });
}

async function previewOf(frame: Uint8Array, size: { width: number; height: number }): Promise<Preview> {
  const bytes = await rawPicture(frame, size)
    .resize(previewSide, previewSide, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 85 })
    .toBuffer();
  return { format: 'JPEG', bytes };
}
