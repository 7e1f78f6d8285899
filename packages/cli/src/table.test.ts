import { describe, expect, it } from 'vitest';
import { details, table } from './table.ts';

const columns = [
  { title: 'ID', of: ({ id }: { id: string }) => id },
  { title: 'NAME', of: ({ name }: { name: string | null }) => name },
];

describe('a table', () => {
  it('has columns as wide as their widest cell and no blanks at the end of a line', () => {
    const rows = [
      { id: 'a', name: 'first' },
      { id: 'long-id', name: null },
    ];
    expect(table(columns, rows)).toBe('ID       NAME\na        first\nlong-id  -\n');
  });

  it('shows nothing that a terminal would obey', () => {
    const rows = [{ id: '\u001b[2Jx\u009b31m', name: 'a\nb\u202ec' }];
    expect(table(columns, rows)).toBe('ID         NAME\n [2Jx 31m  a bc\n');
  });
});

describe('a list of facts', () => {
  it('leaves out what is not there', () => {
    expect(
      details([
        ['id', 'a'],
        ['name', null],
        ['position', 0],
        ['tags', ''],
      ]),
    ).toBe('id        a\nposition  0\n');
  });
});
