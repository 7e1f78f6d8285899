type RelativeUnit = 'second' | 'minute' | 'hour' | 'day';

const steps: [number, RelativeUnit][] = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
];

/** Returns how far a time lies from now, in the largest unit that fits: -12 seconds, 3 minutes. */
export function splitRelative(at: number, now: number): { value: number; unit: RelativeUnit } {
  let value = Math.trunc((at - now) / 1_000);
  for (const [size, unit] of steps) {
    if (Math.abs(value) < size) return { value, unit };
    value = Math.trunc(value / size);
  }
  return { value, unit: 'day' };
}
