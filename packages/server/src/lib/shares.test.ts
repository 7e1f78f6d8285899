import { describe, expect, test } from 'vitest';
import { Shares } from './shares.ts';

describe('shares', () => {
  test('give each holder its limit and no more, whatever the others hold', () => {
    const shares = new Shares({ each: 10, together: 25 });
    expect(shares.take('ada', 10)).toBe('taken');
    expect(shares.take('ada', 1)).toBe('own_share_full');
    expect(shares.take('bob', 10)).toBe('taken');
    expect([shares.heldBy('ada'), shares.heldBy('bob'), shares.total]).toEqual([10, 10, 20]);
  });

  test('have a limit for all holders together, and a refusal takes nothing', () => {
    const shares = new Shares({ each: 10, together: 15 });
    shares.take('ada', 10);
    expect(shares.take('bob', 6)).toBe('all_full');
    expect(shares.take('bob', 5)).toBe('taken');
    expect(shares.total).toBe(15);
  });

  test('have room again after something was given back', () => {
    const shares = new Shares({ each: 2, together: 2 });
    shares.take('ada');
    shares.take('ada');
    shares.give('ada', 2);
    expect([shares.heldBy('ada'), shares.total]).toEqual([0, 0]);
    expect(shares.take('bob', 2)).toBe('taken');
  });
});
