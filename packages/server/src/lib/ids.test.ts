import { describe, expect, it } from 'vitest';
import { firstIdAt, newTimeOrderedId, poolRandomnessOfIds } from './ids.ts';

describe('an id that is ordered by time', () => {
  it('is a UUID of version 7 that increases with the milliseconds', () => {
    const ids = [1, 2, 3_000_000_000_000].map((epochMs) => newTimeOrderedId(epochMs));
    for (const id of ids)
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect([...ids].sort()).toEqual(ids);
    expect(firstIdAt(2) <= String(ids[1]) && String(ids[0]) < firstIdAt(2)).toBe(true);
  });
});

describe('the randomness of ids that libraries make', () => {
  const asked: number[] = [];
  const webCrypto: Parameters<typeof poolRandomnessOfIds>[0] & object = {
    getRandomValues: (array) => {
      asked.push((array as unknown as Uint8Array).byteLength);
      return crypto.getRandomValues(array);
    },
  };
  poolRandomnessOfIds(webCrypto);

  it('is never given twice, nor to one of our own ids', () => {
    const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
    const given = Array.from({ length: 1_000 }, () => {
      const own = newTimeOrderedId(0).replaceAll('-', '').slice(20);
      return [hex(webCrypto.getRandomValues(new Uint8Array(16))).slice(20), own];
    }).flat();
    expect(new Set(given).size).toBe(2_000);
    expect(asked).toEqual([]);
  });

  it('fills the array that it answers, every byte of it', () => {
    const seen = Array.from({ length: 16 }, () => new Set<number>());
    for (let round = 0; round < 100; round += 1) {
      const array = new Uint8Array(16);
      expect(webCrypto.getRandomValues(array)).toBe(array);
      for (const [index, byte] of array.entries()) seen[index]?.add(byte);
    }
    for (const values of seen) expect(values.size).toBeGreaterThan(50);
  });

  it('comes from the system for anything that is not as long as an id', () => {
    for (const array of [new Uint8Array(15), new Uint8Array(32), new Uint32Array(4)]) {
      webCrypto.getRandomValues(array);
    }
    expect(asked).toEqual([15, 32, 16]);
  });
});
