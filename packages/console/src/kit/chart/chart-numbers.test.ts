import { describe, expect, it } from 'vitest';
import { csvText } from './csv.ts';
import { type ChartSeries, stacked } from './series.ts';

const series = (id: string, values: (number | null)[]): ChartSeries => ({ id, label: id, colour: 1, values });

describe('stacked series', () => {
  it('stand on each other, and an unknown value adds nothing', () => {
    expect(stacked([series('a', [1, 2, null]), series('b', [10, null, 30])])).toEqual([
      [1, 2, 0],
      [11, 2, 30],
    ]);
  });

  it('are empty without a label', () => {
    expect(stacked([series('a', [])])).toEqual([[]]);
    expect(stacked([])).toEqual([]);
  });
});

describe('the CSV of a chart', () => {
  it('leaves unknown values blank and never writes zero for them', () => {
    expect(
      csvText([
        ['day', 'cost'],
        ['2026-01-01', null],
        ['2026-01-02', 0],
      ]),
    ).toBe('day,cost\r\n2026-01-01,\r\n2026-01-02,0\r\n');
  });

  it('quotes what would break a line or a cell', () => {
    expect(csvText([['a,b', 'say "hi"', 'two\nlines']])).toBe('"a,b","say ""hi""","two\nlines"\r\n');
  });

  it('stops a hostile name from running as a formula', () => {
    expect(csvText([['=HYPERLINK("x")', '+1', '-1', '@a', -1]])).toBe(
      `"'=HYPERLINK(""x"")",'+1,'-1,'@a,-1\r\n`,
    );
  });
});
