/** Rounds and seed of a run; the seed is printed, so that CHAOS_SEED repeats what it chose. */
export function chaosOptions(name: string): { rounds: number; random: () => number } {
  const rounds = Number(process.env.CHAOS_ROUNDS ?? 5);
  const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 32));
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('CHAOS_ROUNDS is a whole number from 1 on.');
  if (!Number.isInteger(seed)) throw new Error('CHAOS_SEED is a whole number, as an earlier run printed it.');
  console.log(`${name}: ${rounds} rounds, CHAOS_SEED=${seed}`);
  return { rounds, random: mulberry32(seed) };
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
