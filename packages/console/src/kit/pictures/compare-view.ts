import { movedBy, wholePicture, type Zoom, zoomedBy } from './zoom.ts';

const step = { fine: 1, usual: 5, large: 20 };

/** Returns where a key moves the edge between two pictures, in per cent; null for a key that does not move it. */
export function compareMove(
  at: number,
  { key, shiftKey }: { key: string; shiftKey: boolean },
): number | null {
  const size = shiftKey ? step.fine : step.usual;
  const next: Record<string, number> = {
    ArrowLeft: at - size,
    ArrowDown: at - size,
    ArrowRight: at + size,
    ArrowUp: at + size,
    PageDown: at - step.large,
    PageUp: at + step.large,
    Home: 0,
    End: 100,
  };
  const moved = next[key];
  return moved === undefined ? null : within(moved, 0, 100);
}

/** The place under the pointer, in per cent of the width. */
export function compareAt(pointerX: number, { left, width }: { left: number; width: number }): number {
  return width <= 0 ? 0 : within(((pointerX - left) / width) * 100, 0, 100);
}

/** Pictures of different sizes are fitted into the same box, so that one zoom shows the same share of each. */
const box = { width: 1, height: 1 };
export const zoomStep = 1.5;

export function zoomed(view: Zoom, factor: number): Zoom {
  return zoomedBy(view, factor, { picture: box, box });
}

/** Moves the picture by shares of the box on the screen. */
export function moved(view: Zoom, by: { x: number; y: number }): Zoom {
  return movedBy(view, by, box, box);
}

/** Returns where a key leads; null for a key that changes neither zoom nor place. */
export function viewAfterKey(view: Zoom, key: string): Zoom | null {
  const far = 0.2;
  const next: Record<string, () => Zoom> = {
    '+': () => zoomed(view, zoomStep),
    '=': () => zoomed(view, zoomStep),
    '-': () => zoomed(view, 1 / zoomStep),
    '0': () => wholePicture,
    ArrowLeft: () => moved(view, { x: far, y: 0 }),
    ArrowRight: () => moved(view, { x: -far, y: 0 }),
    ArrowUp: () => moved(view, { x: 0, y: far }),
    ArrowDown: () => moved(view, { x: 0, y: -far }),
  };
  return next[key]?.() ?? null;
}

function within(value: number, lowest: number, highest: number): number {
  return Math.min(highest, Math.max(lowest, value));
}
