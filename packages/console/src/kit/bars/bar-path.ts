/** A bar from one height to another, each a share of the whole height. */
export interface StandingBar {
  from: number;
  to: number;
}

/** The share of its place that a bar leaves empty beside it. */
const gap = 0.15;

/** The outline of all bars, in a box that is one unit wide for each bar and one unit high. A bar without height has none. */
export function barPath(bars: readonly StandingBar[]): string {
  return bars
    .flatMap(({ from, to }, place) =>
      to > from ? [`M${place} ${rounded(1 - from)}V${rounded(1 - to)}h${1 - gap}V${rounded(1 - from)}z`] : [],
    )
    .join('');
}

function rounded(height: number): number {
  return Math.round(height * 1_000) / 1_000;
}
