import { endOf, type TimelineSpan } from './span.ts';

interface Interval {
  fromMs: number;
  toMs: number;
}

/** A stretch of time and where it is drawn, both along the axis of length `lengthMs`. */
interface Segment extends Interval {
  fromUnit: number;
  toUnit: number;
  isIdle: boolean;
}

/** The places of moments on a line from 0 to 1. Hidden idle time is drawn as a short break. */
export interface TimeAxis {
  fromMs: number;
  toMs: number;
  /** The length of the axis when hidden time counts as its short break. */
  lengthMs: number;
  segments: readonly Segment[];
  at(ms: number): number;
  /** The moment at a place of the line. */
  timeAt(place: number): number;
}

/** Shorter pauses stay, because a break would take as much room. */
const minIdleMs = 200;
const minIdleShare = 0.03;
const breakShare = 0.02;

export function timeAxis(
  spans: readonly TimelineSpan[],
  { nowMs, hidesIdle }: { nowMs: number; hidesIdle: boolean },
): TimeAxis {
  const whole = wholeOf(spans, nowMs);
  const idle = hidesIdle ? idleTimes(spans, { whole, nowMs }) : [];
  const segments = segmentsOf(whole, idle);
  const lengthMs = Math.max(1, segments.at(-1)?.toUnit ?? 1);
  return {
    ...whole,
    lengthMs,
    segments,
    at: (ms) => {
      const segment = segments.find(({ toMs }) => ms < toMs) ?? segments.at(-1);
      if (!segment) return 0;
      const share = (ms - segment.fromMs) / Math.max(1, segment.toMs - segment.fromMs);
      const unit = segment.fromUnit + clamped(share) * (segment.toUnit - segment.fromUnit);
      return clamped(unit / lengthMs);
    },
    timeAt: (place) => {
      const unit = clamped(place) * lengthMs;
      const segment = segments.find(({ toUnit }) => unit < toUnit) ?? segments.at(-1);
      if (!segment) return whole.fromMs;
      const share = (unit - segment.fromUnit) / Math.max(1e-9, segment.toUnit - segment.fromUnit);
      return segment.fromMs + clamped(share) * (segment.toMs - segment.fromMs);
    },
  };
}

function wholeOf(spans: readonly TimelineSpan[], nowMs: number): Interval {
  let fromMs = Number.POSITIVE_INFINITY;
  let toMs = Number.NEGATIVE_INFINITY;
  for (const span of spans) {
    fromMs = Math.min(fromMs, span.startMs);
    toMs = Math.max(toMs, endOf(span, nowMs));
  }
  return spans.length === 0 ? { fromMs: nowMs, toMs: nowMs } : { fromMs, toMs };
}

/** The long stretches in which nothing worked: waits in a queue, for a person, for a restart. */
function idleTimes(
  spans: readonly TimelineSpan[],
  { whole, nowMs }: { whole: Interval; nowMs: number },
): Interval[] {
  const minMs = Math.max(minIdleMs, (whole.toMs - whole.fromMs) * minIdleShare);
  const idle: Interval[] = [];
  let busyUntil = whole.fromMs;
  for (const { fromMs, toMs } of workingTimes(spans, nowMs)) {
    if (fromMs - busyUntil > minMs) idle.push({ fromMs: busyUntil, toMs: fromMs });
    busyUntil = Math.max(busyUntil, toMs);
  }
  if (whole.toMs - busyUntil > minMs) idle.push({ fromMs: busyUntil, toMs: whole.toMs });
  return idle;
}

/** Spans without children do the work; those around them also cover its waits. */
function workingTimes(spans: readonly TimelineSpan[], nowMs: number): Interval[] {
  const parents = new Set(spans.map(({ parentId }) => parentId));
  return spans
    .filter(({ id, kind }) => kind !== 'queue' && kind !== 'run' && !parents.has(id))
    .map((span) => ({ fromMs: span.startMs, toMs: endOf(span, nowMs) }))
    .sort((one, other) => one.fromMs - other.fromMs);
}

function segmentsOf({ fromMs, toMs }: Interval, idle: readonly Interval[]): Segment[] {
  const hiddenMs = idle.reduce((sum, gap) => sum + gap.toMs - gap.fromMs, 0);
  const breakUnits = Math.max(1, (toMs - fromMs - hiddenMs) * breakShare);
  const segments: Segment[] = [];
  const add = (part: Interval, isIdle: boolean): void => {
    const fromUnit = segments.at(-1)?.toUnit ?? 0;
    const units = isIdle ? breakUnits : part.toMs - part.fromMs;
    if (units > 0) segments.push({ ...part, fromUnit, toUnit: fromUnit + units, isIdle });
  };
  let at = fromMs;
  for (const gap of idle) {
    add({ fromMs: at, toMs: gap.fromMs }, false);
    add(gap, true);
    at = gap.toMs;
  }
  add({ fromMs: at, toMs }, false);
  return segments;
}

function clamped(share: number): number {
  return Math.min(1, Math.max(0, share));
}
