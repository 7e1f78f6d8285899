import { describe, expect, it } from 'vitest';
import { firstIdAt, newTimeOrderedId } from './ids.ts';

describe('an id that is ordered by time', () => {
  it('is a UUID of version 7 that increases with the milliseconds', () => {
    const ids = [1, 2, 3_000_000_000_000].map((epochMs) => newTimeOrderedId(epochMs));
    for (const id of ids)
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect([...ids].sort()).toEqual(ids);
    expect(firstIdAt(2) <= String(ids[1]) && String(ids[0]) < firstIdAt(2)).toBe(true);
  });

  it('increases within a millisecond too', () => {
    const ids = Array.from({ length: 1_000 }, () => newTimeOrderedId(4));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
