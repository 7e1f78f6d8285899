import { classes } from '../parts/classes.ts';
import { barOf } from './bar-geometry.ts';
import type { SpanKind, TimelineSpan } from './span.ts';
import type { TimeAxis } from './time-axis.ts';
import type { ViewRange } from './view-range.ts';

/** Kinds differ in height and place as well as in colour: waits are outlines, nodes are thin. */
const looks: Record<SpanKind, string> = {
  run: 'h-1.5 bg-text-3',
  queue: 'h-3 border border-dashed border-control',
  model: 'h-3.5 bg-chart-1',
  tool: 'h-1.5 bg-chart-4',
  subagent: 'h-1.5 bg-chart-6',
  task: 'h-1.5 bg-chart-3',
  attempt: 'h-3.5 bg-chart-3',
  node: 'h-2 bg-chart-3',
};

/** The time of one span. It stays visible when it is shorter than a pixel. */
export function SpanBar({
  span,
  axis,
  view,
  nowMs,
}: {
  span: TimelineSpan;
  axis: TimeAxis;
  view: ViewRange;
  nowMs: number;
}) {
  const bar = barOf(span, { axis, view, nowMs });
  if (bar === null) return null;
  const isFailed = span.state === 'error';
  return (
    <span
      aria-hidden
      className={classes(
        'absolute top-1/2 min-w-0.5 -translate-y-1/2 rounded-[2px]',
        span.kind !== 'queue' && 'forced-colors:bg-[CanvasText]',
        isFailed && span.kind !== 'queue' ? 'h-3.5 bg-failed' : looks[span.kind],
        (span.state === 'interrupted' || span.state === 'cancelled') && 'opacity-50',
        span.endMs === null && 'animate-pulse motion-reduce:animate-none',
        bar.isCutLeft && 'rounded-l-none',
        bar.isCutRight && 'rounded-r-none',
      )}
      style={{ left: `min(${bar.left}%, calc(100% - 2px))`, width: `${bar.width}%` }}
    />
  );
}
