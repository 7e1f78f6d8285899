import { describe, expect, it } from 'vitest';
import { nearest } from './nearest.ts';

const keys = ['host', 'port', 'public_url', 'body_limit', 'large_body_limit'];

describe('nearest', () => {
  it.each([
    ['prot', 'port'],
    ['hots', 'host'],
    ['PORT', 'port'],
    ['public-url', 'public_url'],
    ['body_limt', 'body_limit'],
  ])('takes %s for %s', (word, expected) => {
    expect(nearest(word, keys)).toBe(expected);
  });

  it('suggests nothing when no candidate is close', () => {
    expect(nearest('colour', keys)).toBeUndefined();
    expect(nearest('x', keys)).toBeUndefined();
  });
});
