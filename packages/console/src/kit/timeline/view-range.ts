/** The part of the axis that is shown, from 0 to 1. */
export interface ViewRange {
  from: number;
  to: number;
}

export const wholeView: ViewRange = { from: 0, to: 1 };
/** A thousandth of a run fills the width at most. */
const minWidth = 0.001;

/** A factor below 1 shows less time, larger. The place under the pointer stays where it is. */
export function zoomed({ from, to }: ViewRange, factor: number, around = (from + to) / 2): ViewRange {
  const width = Math.min(1, Math.max(minWidth, (to - from) * factor));
  const share = (around - from) / (to - from);
  return within(around - share * width, width);
}

/** By a share of what is shown: 0.5 moves it by half the width. */
export function panned({ from, to }: ViewRange, by: number): ViewRange {
  return within(from + by * (to - from), to - from);
}

/** Moves the view only when the place is outside it. */
export function showing(view: ViewRange, place: number): ViewRange {
  if (place >= view.from && place <= view.to) return view;
  const width = view.to - view.from;
  return within(place - width / 2, width);
}

/** `0.25-0.5`, as it stands in the address; empty for the whole. */
export function viewText({ from, to }: ViewRange): string {
  return from === 0 && to === 1 ? '' : `${rounded(from)}-${rounded(to)}`;
}

export function viewFrom(text: string | null): ViewRange {
  const [from, to] = (text ?? '').split('-').map(Number);
  if (from === undefined || to === undefined || !(from >= 0 && to <= 1 && to - from >= minWidth * 0.99)) {
    return wholeView;
  }
  return { from, to };
}

function within(from: number, width: number): ViewRange {
  const start = Math.min(1 - width, Math.max(0, from));
  return { from: start, to: start + width };
}

function rounded(place: number): number {
  return Math.round(place * 1e5) / 1e5;
}
