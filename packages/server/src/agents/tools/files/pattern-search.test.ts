import { afterEach, describe, expect, it } from 'vitest';
import { literalPattern, PatternSearch } from './pattern-search.ts';

let search: PatternSearch | undefined;
afterEach(() => search?.close());

async function find(
  pattern: string,
  text: string,
  options: { max?: number; isCaseSensitive?: boolean } = {},
) {
  const { max = 10, isCaseSensitive = false } = options;
  search = new PatternSearch({ pattern, isCaseSensitive });
  return search.linesOf(Buffer.from(text), { max, timeMs: 8_000 });
}

describe('a search for a pattern', () => {
  it('finds lines with their numbers, however they end', async () => {
    expect(await find('^b.d$', 'a\r\nbad\r\nBED\nbid')).toEqual([
      { line: 2, text: 'bad' },
      { line: 3, text: 'BED' },
      { line: 4, text: 'bid' },
    ]);
  });

  it('respects upper and lower case when it is asked to', async () => {
    expect(await find('b', 'B\nb', { isCaseSensitive: true })).toEqual([{ line: 2, text: 'b' }]);
  });

  it('stops at the requested number of lines', async () => {
    expect(await find('x', 'x\n'.repeat(50), { max: 3 })).toHaveLength(3);
  });

  it('shows the part of a long line around the match', async () => {
    const [found] = await find('needle', `${'🎨'.repeat(5_000)}needle${'y'.repeat(5_000)}`);
    expect(found?.text).toContain('needle');
    expect(found?.text).toMatch(/^….*…$/su);
    expect(found?.text.length).toBeLessThan(310);
    expect(found?.text).not.toMatch(/\p{Surrogate}/u);
  });

  it('searches a literal text unchanged', async () => {
    const text = 'a.b*(c)[d]{2}\\^$|+?/-';
    expect(await find(literalPattern(text), `axb\n${text}`)).toEqual([{ line: 2, text }]);
  });

  it('ends when a pattern would run for ever, while others continue', async () => {
    search = new PatternSearch({ pattern: '^(a+)+$', isCaseSensitive: true });
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    const stuck = search.linesOf(Buffer.from(`${'a'.repeat(60)}!`), { max: 1, timeMs: 300 });
    await expect(stuck).rejects.toMatchObject({ code: 'pattern_too_slow' });
    clearInterval(counting);
    expect(turns).toBeGreaterThan(0);
    await search.close();
  });

  it('ends at once when it is closed', async () => {
    search = new PatternSearch({ pattern: '^(a+)+$', isCaseSensitive: true });
    const stuck = search.linesOf(Buffer.from(`${'a'.repeat(60)}!`), { max: 1, timeMs: 600_000 });
    const outcome = expect(stuck).rejects.toMatchObject({ code: 'pattern_too_slow' });
    await search.close();
    await outcome;
  });

  it.each(['(', 'x'.repeat(1_001), ''])('is refused with %j', (pattern) => {
    expect(() => new PatternSearch({ pattern, isCaseSensitive: false })).toThrow(
      expect.objectContaining({ code: 'pattern_invalid' }),
    );
  });

  it('reports that a pattern needs too much memory, and other searches continue', async () => {
    await expect(find('^(?:(a)|(b))*c', 'ab'.repeat(4_000_000))).rejects.toMatchObject({
      code: 'pattern_too_slow',
    });
  });
});
