import { channels } from './values.ts';

export interface Part {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A rectangle of a frame; the frame itself when the rectangle covers it. */
export function cropRows(frame: Uint8Array, size: { width: number; height: number }, part: Part): Uint8Array {
  if (part.width === size.width && part.height === size.height) return frame;
  const cropped = new Uint8Array(part.width * part.height * channels);
  pasteRows(frame, {
    from: { width: size.width, ...pick(part) },
    into: cropped,
    at: { width: part.width, x: 0, y: 0 },
    part,
  });
  return cropped;
}

/** Copies a rectangle row by row from one frame into another, which only the caller may use. */
export function pasteRows(
  frame: Uint8Array,
  {
    from,
    into,
    at,
    part,
  }: {
    from: { width: number; x: number; y: number };
    into: Uint8Array;
    at: { width: number; x: number; y: number };
    part: { width: number; height: number };
  },
): void {
  for (let row = 0; row < part.height; row += 1) {
    const start = ((from.y + row) * from.width + from.x) * channels;
    into.set(
      frame.subarray(start, start + part.width * channels),
      ((at.y + row) * at.width + at.x) * channels,
    );
  }
}

function pick({ x, y }: Part): { x: number; y: number } {
  return { x, y };
}
