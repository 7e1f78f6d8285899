const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

type DurationUnit = 'second' | 'minute' | 'hour' | 'day';

export interface DurationPart {
  value: number;
  unit: DurationUnit;
  fractionDigits: 0 | 1;
}

/** The one or two units in which a person reads a duration: 0.4 s, 42 s, 1 m 40 s, 2 h 5 m, 3 d 4 h. */
export function splitDuration(ms: number): DurationPart[] {
  const length = Math.max(0, ms);
  if (length < 10 * second) {
    return [{ value: Math.round(length / 100) / 10, unit: 'second', fractionDigits: 1 }];
  }
  const seconds = Math.round(length / second) * second;
  if (seconds < minute) return [whole(seconds / second, 'second')];
  if (seconds < hour) return pair(seconds, [minute, 'minute'], [second, 'second']);
  const minutes = Math.round(length / minute) * minute;
  if (minutes < day) return pair(minutes, [hour, 'hour'], [minute, 'minute']);
  const hours = Math.round(length / hour) * hour;
  return pair(hours, [day, 'day'], [hour, 'hour']);
}

function pair(ms: number, [large, unit]: [number, DurationUnit], [small, rest]: [number, DurationUnit]) {
  const remainder = Math.floor((ms % large) / small);
  const first = whole(Math.floor(ms / large), unit);
  return remainder === 0 ? [first] : [first, whole(remainder, rest)];
}

function whole(value: number, unit: DurationUnit): DurationPart {
  return { value, unit, fractionDigits: 0 };
}

export interface SpanOfTime {
  from: number;
  to: number;
  unit: DurationUnit;
}

/** The unit and the bounds of a range of durations, rounded outwards so that it never promises too much. */
export function splitRange(fromMs: number, toMs: number): SpanOfTime {
  const from = Math.max(0, Math.min(fromMs, toMs));
  const to = Math.max(0, fromMs, toMs);
  const [size, unit] = rangeUnit(to);
  return { from: Math.floor(from / size), to: Math.max(1, Math.ceil(to / size)), unit };
}

function rangeUnit(ms: number): [number, DurationUnit] {
  if (ms <= 2 * minute) return [second, 'second'];
  if (ms <= 2 * hour) return [minute, 'minute'];
  return ms <= 2 * day ? [hour, 'hour'] : [day, 'day'];
}
