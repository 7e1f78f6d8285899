import { describe, expect, it } from 'vitest';
import { splitText } from './telegram-text.ts';

describe('a text for Telegram', () => {
  it('stays whole when it fits, an empty one too', () => {
    expect(splitText('hello', 10)).toEqual(['hello']);
    expect(splitText('  ', 10)).toEqual(['']);
  });

  it.each([
    ['paragraphs', 'one two\n\nthree four', ['one two', 'three four']],
    ['lines', 'one two\nthree four', ['one two', 'three four']],
    ['sentences', 'One two. Three four', ['One two.', 'Three four']],
    ['words', 'one two three four', ['one two', 'three four']],
  ])('is cut between %s', (_what, text, parts) => {
    expect(splitText(text, 12)).toEqual(parts);
  });

  it('is cut anywhere when it has no border, but never within a character', () => {
    expect(splitText('a'.repeat(25), 10)).toEqual(['a'.repeat(10), 'a'.repeat(10), 'a'.repeat(5)]);
    const parts = splitText('😀'.repeat(11), 5);
    expect(parts.join('')).toBe('😀'.repeat(11));
    for (const part of parts) expect(part.length % 2).toBe(0);
  });

  it('does not begin with a short piece because of an early border', () => {
    expect(splitText(`hi ${'b'.repeat(20)}`, 12)[0]).toBe(`hi ${'b'.repeat(9)}`);
  });

  it('loses nothing but the space at its cuts', () => {
    const words = Array.from({ length: 3_000 }, (_, index) => `word${index}`).join(' ');
    const parts = splitText(words);
    expect(parts.join(' ')).toBe(words);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(4_096);
  });
});
