import { describe, expect, it } from 'vitest';
import { details, table } from './table.ts';

const columns = [
  { title: 'ID', of: ({ id }: { id: string }) => id },
  { title: 'NAME', of: ({ name }: { name: string | null }) => name },
];

describe('a table', () => {
  it('has columns as wide as their widest cell and no spaces at the end of a line', () => {
    const rows = [
      { id: 'a', name: 'first' },
      { id: 'long-id', name: null },
    ];
    expect(table(columns, rows)).toBe('ID       NAME\na        first\nlong-id  -\n');
  });

  it('is cut to the width of the terminal: the widest columns first, the id never', () => {
    const rows = [
      { id: '0196a1b2-0000-7000-8000-000000000000', name: 'a name that is far too long for this' },
    ];
    const lines = table(columns, rows, 60).trimEnd().split('\n');
    expect(lines[1]).toHaveLength(60);
    expect(lines[1]).toBe('0196a1b2-0000-7000-8000-000000000000  a name that is far to…');
    expect(table(columns, rows, 20).split('\n')[1], 'no room at all').toBe(
      '0196a1b2-0000-7000-8000-000000000000  …',
    );
  });

  it('counts two columns for wide characters', () => {
    const rows = [
      { id: '猫', name: 'one' },
      { id: 'cat', name: '猫の写真の名前' },
    ];
    expect(table(columns, rows)).toBe('ID   NAME\n猫   one\ncat  猫の写真の名前\n');
    expect(table(columns, rows, 14)).toBe('ID   NAME\n猫   one\ncat  猫の写真…\n');
  });

  it('shows no control sequence of a terminal', () => {
    const rows = [{ id: '\u001b[2Jx\u009b31m', name: 'a\nb\u202ec' }];
    expect(table(columns, rows)).toBe('ID         NAME\n [2Jx 31m  a bc\n');
  });
});

describe('a list of facts', () => {
  it('leaves out missing facts', () => {
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
