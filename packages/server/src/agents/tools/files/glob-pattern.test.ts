import { describe, expect, it } from 'vitest';
import { globMatcher } from './glob-pattern.ts';

describe('a glob pattern', () => {
  it.each([
    ['*.md', 'a.md', true],
    ['*.md', 'deep/er/a.md', true],
    ['*.md', 'a.mdx', false],
    ['./*.md', 'a.md', true],
    ['./*.md', 'deep/a.md', false],
    ['/deep/*.md', 'deep/a.md', true],
    ['**/*.md', 'a.md', true],
    ['**/*.md', 'x/y/z/a.md', true],
    ['src/**', 'src/a/b', true],
    ['src/**/b/*', 'src/b/x', true],
    ['src/**/b/*', 'src/a/b/c/b/x', true],
    ['src/**/b/*', 'other/b/x', false],
    ['**', 'any/thing', true],
    ['a?c', 'abc', true],
    ['a?c', 'a🎨c', true],
    ['a?c', 'ac', false],
    ['*a*b*', 'xxaxxbxx', true],
    ['*a*b*', 'xxbxxaxx', false],
    ['[a-c]x', 'bx', true],
    ['[a-c]x', 'dx', false],
    ['[!a-c]x', 'dx', true],
    ['[!a-c]x', 'ax', false],
    ['[]]x', ']x', true],
    ['*.{png,jp{e,}g}', 'a.jpg', true],
    ['*.{png,jp{e,}g}', 'a.jpeg', true],
    ['*.{png,jp{e,}g}', 'a.gif', false],
    ['a\\*b', 'a*b', true],
    ['a\\*b', 'axb', false],
    ['a.b', 'axb', false],
    ['(a|b)+$', 'a', false],
    ['(a|b)+$', '(a|b)+$', true],
    ['[', '[', true],
    ['{a', '{a', true],
  ])('%s and the path %s: %s', (pattern, path, expected) => {
    expect(globMatcher(pattern)(path)).toBe(expected);
  });

  it('takes steps in proportion to its length, and tries no combinations', () => {
    const matches = globMatcher(`${'*a'.repeat(100)}b`);
    expect(matches(`x/${'a'.repeat(250)}`)).toBe(false);
    expect(globMatcher('**/'.repeat(60))(`${'a/'.repeat(31)}a`)).toBe(false);
  });

  it('is refused when it is long, or stands for many patterns', () => {
    expect(() => globMatcher('x'.repeat(257))).toThrow('longer than 256 characters');
    expect(() => globMatcher('{a,b}'.repeat(5))).toThrow('more than 16 patterns');
  });
});
