import { plainText } from './plain-text.ts';
import { cutToWidth, padToWidth, widthOf } from './text-width.ts';

export interface Column<Row> {
  title: string;
  of: (row: Row) => string | number | null;
}

const gap = '  ';
/** A cut column keeps this width, or the width of its title, because less is not readable. */
const narrowest = 8;
/** Columns up to this width are not cut, because that would win little. */
const short = 10;

/**
 * Columns as wide as their widest cell. When a terminal is narrower (`columnsOfTerminal`) the widest columns are cut
 * first. The first column is never cut: it is the id that the next command needs. A line that still does not fit is cut
 * at the edge.
 */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  columnsOfTerminal = Number.POSITIVE_INFINITY,
): string {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ of }) => plainText(String(of(row) ?? '-')))),
  ];
  const natural = columns.map((_, index) => Math.max(...lines.map((cells) => widthOf(cells[index] ?? ''))));
  const floors = columns.map(({ title }, index) => {
    const width = natural[index] ?? 0;
    return width <= short ? width : Math.max(narrowest, widthOf(title));
  });
  const widths = fitted(natural, floors, columnsOfTerminal - gap.length * (columns.length - 1));
  const edge = Math.max(columnsOfTerminal, (natural[0] ?? 0) + gap.length + 1);
  return lines
    .map((cells) =>
      cells
        .map((cell, index) => padToWidth(cutToWidth(cell, widths[index] ?? 0), widths[index] ?? 0))
        .join(gap)
        .trimEnd(),
    )
    .map((line) => `${cutToWidth(line, edge)}\n`)
    .join('');
}

/** Takes one character from the widest column until all fit or none can be cut further. */
function fitted(natural: readonly number[], floors: readonly number[], room: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  for (; excess > 0; excess -= 1) {
    const givers = widths.map((width, index) => (index > 0 && width > (floors[index] ?? 0) ? width : 0));
    const widest = givers.indexOf(Math.max(...givers));
    const width = givers[widest] ?? 0;
    if (width === 0) break;
    widths[widest] = width - 1;
  }
  return widths;
}

/** One fact per line; missing facts are left out. */
export function details(facts: readonly (readonly [name: string, value: string | number | null])[]): string {
  const known = facts.filter(([, value]) => value !== null && value !== '');
  const width = Math.max(0, ...known.map(([name]) => name.length));
  return known.map(([name, value]) => `${name.padEnd(width)}  ${plainText(String(value))}\n`).join('');
}
