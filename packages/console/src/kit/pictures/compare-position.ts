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
  return moved === undefined ? null : withinPicture(moved);
}

/** The place under the pointer, in per cent of the width. */
export function compareAt(pointerX: number, { left, width }: { left: number; width: number }): number {
  return width <= 0 ? 0 : withinPicture(((pointerX - left) / width) * 100);
}

function withinPicture(percent: number): number {
  return Math.min(100, Math.max(0, percent));
}
