import { describe, expect, it } from 'vitest';
import { OutputCache } from './output-cache.ts';

const picture = (bytes: number) => ({
  values: [{ width: 1, height: 1, frames: [new Uint8Array(bytes)] }],
  ui: undefined,
});

describe('OutputCache', () => {
  it('drops outputs that the present prompt cannot use', () => {
    const cache = new OutputCache(10_000);
    cache.set('a', picture(10));
    cache.set('b', picture(10));
    cache.keepOnly(new Set(['b']));
    expect([cache.get('a'), cache.get('b')]).toEqual([undefined, picture(10)]);
  });

  it('drops the oldest outputs above its size in bytes', () => {
    const cache = new OutputCache(1000);
    for (const name of ['a', 'b', 'c']) cache.set(name, picture(400));
    expect(['a', 'b', 'c'].map((name) => cache.get(name) !== undefined)).toEqual([false, true, true]);
  });

  it('does not keep an output that is larger than its limit, and drops no others for it', () => {
    const cache = new OutputCache(1000);
    cache.set('small', picture(100));
    cache.set('huge', picture(5000));
    expect([cache.get('small') !== undefined, cache.get('huge')]).toEqual([true, undefined]);
  });

  it('counts a shared frame once', () => {
    const cache = new OutputCache(1000);
    const frame = new Uint8Array(400);
    cache.set('shared', {
      values: [{ width: 1, height: 1, frames: [frame, frame, frame, frame] }],
      ui: undefined,
    });
    expect(cache.get('shared')).toBeDefined();
  });
});
