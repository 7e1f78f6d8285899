import { percentOf } from './bar-geometry.ts';
import type { TimeAxis } from './time-axis.ts';
import type { ViewRange } from './view-range.ts';

export interface Tick {
  /** Since the beginning of the axis. */
  sinceMs: number;
  /** In percent of the shown width. */
  left: number;
}

/** A label needs about this share of the width, unless the caller knows better. */
const usualDistance = 9;

/** Round times along the axis, at least so many percent of the shown width apart. Hidden time has none. */
export function ticksOf(axis: TimeAxis, view: ViewRange, minDistancePercent = usualDistance): Tick[] {
  const shownMs = (view.to - view.from) * axis.lengthMs;
  const stepMs = roundStep((shownMs * minDistancePercent) / 100);
  const ticks: Tick[] = [];
  for (const segment of axis.segments) {
    if (segment.isIdle) continue;
    const fromMs = Math.max(segment.fromMs, axis.timeAt(view.from));
    const toMs = Math.min(segment.toMs, axis.timeAt(view.to));
    const first = Math.ceil((fromMs - axis.fromMs) / stepMs) * stepMs;
    for (let sinceMs = first; sinceMs <= toMs - axis.fromMs; sinceMs += stepMs) {
      const left = percentOf(axis.at(axis.fromMs + sinceMs), view);
      const last = ticks.at(-1);
      if (!last || left - last.left >= minDistancePercent) ticks.push({ sinceMs, left });
    }
  }
  return ticks;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
/** Steps that people read easily; below a second and above an hour they are decimal. */
const roundSteps = [1, 2, 5, 10, 15, 30].flatMap((count) => [count * secondMs, count * minuteMs]);

function roundStep(minMs: number): number {
  const step = [...roundSteps].sort((one, other) => one - other).find((each) => each >= minMs);
  if (step !== undefined && minMs > secondMs / 2) return step;
  const unit = minMs > secondMs ? hourMs : 1;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, minMs / unit)));
  return unit * ([1, 2, 5, 10].map((count) => count * power).find((each) => each * unit >= minMs) ?? 1);
}
