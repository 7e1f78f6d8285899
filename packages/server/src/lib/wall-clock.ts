import { dayMs } from './time-units.ts';

/** The wall time of a place: what its clocks show, in milliseconds as if it were UTC. */
type WallMs = number;

/** More than this are not in use at once; the zones of a request are checked, so no caller can fill it with others. */
const maxFormats = 1_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** True for a name of the IANA database, such as `Europe/Berlin` or `UTC`. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** Returns what the clocks of the zone show at a moment. */
export function wallTimeOf(atMs: number, zone: string): WallMs {
  return atMs + offsetAt(atMs, zone);
}

/**
 * Returns the moments at which the clocks of the zone show this time: one, or two when they are put back. A time that they skip
 * counts as if they had not been put forward yet: 02:30 is the moment at which they show 03:30.
 */
export function momentsOf(wall: WallMs, zone: string): number[] {
  const before = offsetAt(wall - dayMs, zone);
  const after = offsetAt(wall + dayMs, zone);
  const offsets = before === after ? [before] : [before, after];
  const moments = offsets.map((offset) => wall - offset).filter((at) => wallTimeOf(at, zone) === wall);
  return moments.length > 0 ? moments.sort((one, other) => one - other) : [wall - before];
}

function offsetAt(atMs: number, zone: string): number {
  // The format knows seconds. Times of schedules are whole minutes, so the rest does not matter.
  const whole = Math.floor(atMs / 1000) * 1000;
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(whole)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - whole;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (formats.size < maxFormats) formats.set(zone, made);
  return made;
}
