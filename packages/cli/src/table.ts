import { plainText } from './plain-text.ts';

export interface Column<Row> {
  title: string;
  of: (row: Row) => string | number | null;
}

/** Columns as wide as their widest cell; the last one is left as long as it is. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ of }) => plainText(String(of(row) ?? '-')))),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((cells) => cells[index]?.length ?? 0)));
  return lines
    .map((cells) =>
      cells
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** One fact a line; facts that are not there are left out. */
export function details(facts: readonly (readonly [name: string, value: string | number | null])[]): string {
  const known = facts.filter(([, value]) => value !== null && value !== '');
  const width = Math.max(0, ...known.map(([name]) => name.length));
  return known.map(([name, value]) => `${name.padEnd(width)}  ${plainText(String(value))}\n`).join('');
}
