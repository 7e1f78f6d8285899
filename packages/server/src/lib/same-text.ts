import { timingSafeEqual } from 'node:crypto';

/** Compares a secret without telling by its duration how much of it was right. */
export function isSameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
