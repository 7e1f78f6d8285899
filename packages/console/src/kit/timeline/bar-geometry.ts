import { endOf, type TimelineSpan } from './span.ts';
import type { TimeAxis } from './time-axis.ts';
import type { ViewRange } from './view-range.ts';

/** In percent of the shown width. */
export interface Bar {
  left: number;
  width: number;
  /** The span goes on beyond the edge of what is shown. */
  isCutLeft: boolean;
  isCutRight: boolean;
}

/** Null when the span lies outside what is shown. */
export function barOf(
  span: TimelineSpan,
  { axis, view, nowMs }: { axis: TimeAxis; view: ViewRange; nowMs: number },
): Bar | null {
  const from = axis.at(span.startMs);
  const to = axis.at(endOf(span, nowMs));
  if (to < view.from || from > view.to) return null;
  const left = percentOf(Math.max(from, view.from), view);
  const right = percentOf(Math.min(to, view.to), view);
  return { left, width: right - left, isCutLeft: from < view.from, isCutRight: to > view.to };
}

export function percentOf(place: number, { from, to }: ViewRange): number {
  return ((place - from) / (to - from)) * 100;
}
