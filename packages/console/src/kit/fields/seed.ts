import type { FieldSpec } from './field-spec.ts';

/** The ways in which the seed changes with each run. */
export const seedModes = ['fixed', 'random', 'increment'] as const;
export type SeedMode = (typeof seedModes)[number];

/** JSON keeps whole numbers up to here, although workers name a larger maximum. */
const maxSeed = Number.MAX_SAFE_INTEGER;

type SeedRange = Pick<FieldSpec, 'minimum' | 'maximum'>;

export function isSeed({ type, sets }: Pick<FieldSpec, 'type' | 'sets'>): boolean {
  const input = sets?.[0]?.input ?? '';
  return (type === 'integer' || type === 'number') && /(^|_)seed$/i.test(input);
}

/** The seed of the run with this index, of those that one click starts. */
export function seedOfRun(
  { value, mode, index }: { value: number; mode: SeedMode; index: number },
  range: SeedRange,
  random: () => number = Math.random,
): number {
  if (mode === 'fixed') return value;
  const { low, high } = boundsOf(range);
  if (mode === 'random') return low + Math.floor(random() * (high - low + 1));
  const next = value + index;
  // Beyond the last seed it begins again with the first.
  return next <= high ? next : low + ((next - low) % (high - low + 1));
}

/** Returns the content of the field after a click that started this number of runs. */
export function seedAfterRuns(
  { value, mode, last, runs }: { value: number; mode: SeedMode; last: number; runs: number },
  range: SeedRange,
): number {
  if (mode === 'random') return last;
  return mode === 'fixed' ? value : seedOfRun({ value, mode, index: runs }, range);
}

function boundsOf({ minimum, maximum }: SeedRange): { low: number; high: number } {
  const low = Math.max(0, Math.ceil(minimum ?? 0));
  return { low, high: Math.max(low, Math.min(maxSeed - 1, Math.floor(maximum ?? maxSeed))) };
}
