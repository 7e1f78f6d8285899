const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** A size for people: at most three digits, and a unit. */
export function formatSize(sizeBytes: number): string {
  let value = sizeBytes;
  let unit = 0;
  for (; value >= 999.5 && unit < units.length - 1; unit += 1) value /= 1_000;
  return `${Number(value.toPrecision(3))} ${units[unit]}`;
}
