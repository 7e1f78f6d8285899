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

/** The part of a picture that is seen: the place in the middle, as shares of the box, and the zoom. */
export interface CompareView {
  zoom: number;
  x: number;
  y: number;
}

export const wholeView: CompareView = { zoom: 1, x: 0.5, y: 0.5 };
export const zoomStep = 1.5;
const maxZoom = 24;

export function zoomed(view: CompareView, factor: number): CompareView {
  return inBox({ ...view, zoom: within(view.zoom * factor, 1, maxZoom) });
}

/** Moves the picture by shares of the box on the screen. */
export function moved({ zoom, x, y }: CompareView, by: { x: number; y: number }): CompareView {
  return inBox({ zoom, x: x - by.x / zoom, y: y - by.y / zoom });
}

/** Returns where a key leads; null for a key that changes neither zoom nor place. */
export function viewAfterKey(view: CompareView, key: string): CompareView | null {
  const far = 0.2;
  const next: Record<string, () => CompareView> = {
    '+': () => zoomed(view, zoomStep),
    '=': () => zoomed(view, zoomStep),
    '-': () => zoomed(view, 1 / zoomStep),
    '0': () => wholeView,
    ArrowLeft: () => moved(view, { x: far, y: 0 }),
    ArrowRight: () => moved(view, { x: -far, y: 0 }),
    ArrowUp: () => moved(view, { x: 0, y: far }),
    ArrowDown: () => moved(view, { x: 0, y: -far }),
  };
  return next[key]?.() ?? null;
}

/** The box is always filled. */
function inBox({ zoom, x, y }: CompareView): CompareView {
  const margin = 0.5 / zoom;
  return { zoom, x: within(x, margin, 1 - margin), y: within(y, margin, 1 - margin) };
}

function within(value: number, lowest: number, highest: number): number {
  return Math.min(highest, Math.max(lowest, value));
}
