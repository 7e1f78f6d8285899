export interface Point {
  x: number;
  y: number;
}

/** One step of painting, in pixels of the mask. */
export type MaskStep =
  | { kind: 'stroke'; erases: boolean; radius: number; points: readonly Point[] }
  | { kind: 'invert' }
  | { kind: 'clear' };

/** The steps since the mask was opened: those that are on it, and those that were undone. */
export interface MaskHistory {
  steps: readonly MaskStep[];
  undone: readonly MaskStep[];
}

export const emptyHistory: MaskHistory = { steps: [], undone: [] };

/** An undo draws all steps again, so that their number is bounded; older ones stay on the mask for good. */
const maxSteps = 200;

/** Returns the history with a new step. `settled` is the step that can no longer be undone. */
export function withStep(
  { steps }: MaskHistory,
  step: MaskStep,
): { history: MaskHistory; settled: MaskStep | undefined } {
  const all = [...steps, step];
  const settled = all.length > maxSteps ? all.shift() : undefined;
  return { history: { steps: all, undone: [] }, settled };
}

export function undo({ steps, undone }: MaskHistory): MaskHistory {
  const last = steps.at(-1);
  return last === undefined ? { steps, undone } : { steps: steps.slice(0, -1), undone: [...undone, last] };
}

export function redo({ steps, undone }: MaskHistory): MaskHistory {
  const next = undone.at(-1);
  return next === undefined ? { steps, undone } : { steps: [...steps, next], undone: undone.slice(0, -1) };
}

/** The canvas of a mask has no more pixels: phones give no more. The gateway enlarges the mask of a larger picture. */
const maxMaskPixels = 4_000_000;

export function maskSizeOf({ width, height }: { width: number; height: number }): {
  width: number;
  height: number;
} {
  const shrink = Math.min(1, Math.sqrt(maxMaskPixels / (width * height)));
  return { width: Math.max(1, Math.round(width * shrink)), height: Math.max(1, Math.round(height * shrink)) };
}

/**
 * Returns the radii that a slider offers. Each looks as much larger than the one before it as any other does: in equal steps, all
 * that a picture needs would lie below the handle of the slider.
 */
export function brushRadii({ least, most }: { least: number; most: number }): number[] {
  const radii: number[] = [];
  for (let radius = least; radius < most; radius = Math.ceil(radius * 1.06)) radii.push(radius);
  return [...radii, most];
}

/** Where an arrow key moves the brush: half its radius, or one pixel with shift. Returns null for another key. */
export function brushMove(
  { x, y }: Point,
  { key, shiftKey }: { key: string; shiftKey: boolean },
  { radius, width, height }: { radius: number; width: number; height: number },
): Point | null {
  const far = shiftKey ? 1 : Math.max(1, Math.round(radius / 2));
  const by: Record<string, [number, number]> = {
    ArrowLeft: [-far, 0],
    ArrowRight: [far, 0],
    ArrowUp: [0, -far],
    ArrowDown: [0, far],
  };
  const move = by[key];
  if (move === undefined) return null;
  return { x: within(x + move[0], width), y: within(y + move[1], height) };
}

function within(value: number, highest: number): number {
  return Math.min(highest, Math.max(0, value));
}
