import { type CSSProperties, useCallback, useEffect, useRef } from 'react';
import { classes } from './parts/classes.ts';
import { useMedia } from './parts/use-media.ts';
import type { Column, Selection } from './table/column.ts';
import { RowChoice } from './table/row-choice.tsx';
import { TableHead } from './table/table-head.tsx';
import { TableRow } from './table/table-row.tsx';
import { useRowWindow, VirtualList } from './virtual-list.tsx';

export interface DataTableProps<Row> {
  /** Says what the table lists. */
  label: string;
  /** The same array as long as no column changes: rows are drawn again with a new one. */
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /**
   * Returns the command that does the same in a terminal as the page does with the row; for rows that nothing opens.
   */
  rowCommand?: (row: Row) => string;
  selection?: Selection | undefined;
  /** The row where the keyboard is. */
  current?: string | undefined;
  /** The height of a row in pixels. */
  rowHeight?: number;
}

const compactRow = 36;

/** Rows as a real table; below 640 pixels as cards. Only the visible part of a long list is in the page. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  return useMedia(wideEnoughForTables) ? <Table {...props} /> : <Cards {...props} />;
}

/** The width from which lists are tables; below it they are cards. */
const wideEnoughForTables = '(min-width: 40rem)';

function Table<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, rowCommand, selection, current, rowHeight = compactRow } = props;
  const start = useRef<HTMLTableSectionElement>(null);
  const { rows: view, offset } = useRowWindow({ count: rows.length, rowHeight, start });
  const onChoose = useOnChoose(selection);
  const index = current === undefined ? -1 : rows.findIndex((row) => rowKey(row) === current);
  useEffect(() => {
    if (index >= 0) view.scrollToIndex(index, { align: 'auto' });
  }, [index, view]);
  const items = view.getVirtualItems();
  const above = (items[0]?.start ?? offset) - offset;
  const below = view.getTotalSize() - ((items.at(-1)?.end ?? offset) - offset);
  const width = columns.length + (selection ? 1 : 0);
  return (
    <table
      className="w-full table-fixed border-separate border-spacing-0 text-table"
      aria-rowcount={rows.length + 1}
    >
      <caption className="sr-only">{label}</caption>
      <TableHead columns={columns} rows={rows} rowKey={rowKey} selection={selection} />
      <tbody ref={start} style={rowStyle(rowHeight)}>
        <Spacer height={above} width={width} />
        {items.map(({ index }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const key = rowKey(row);
          return (
            <TableRow
              key={key}
              row={row}
              rowKey={key}
              index={index}
              columns={columns}
              isCurrent={current === key}
              command={rowCommand?.(row)}
              isChosen={selection?.chosen.has(key) ?? false}
              onChoose={onChoose}
              choiceName={selection?.nameOf(key) ?? null}
            />
          );
        })}
        <Spacer height={below} width={width} />
      </tbody>
    </table>
  );
}

/**
 * Returns the style that all rows have in common, for the element above them: the browser would make a separate style
 * for each row that has an attribute.
 */
function rowStyle(rowHeight: number): CSSProperties {
  return { '--row': `${rowHeight}px` } as CSSProperties;
}

/** Stays the same function, so that rows which did not change are not drawn again. */
function useOnChoose(selection: Selection | undefined): Selection['onChoose'] {
  const current = useRef(selection);
  useEffect(() => {
    current.current = selection;
  });
  return useCallback((key, isChosen) => current.current?.onChoose(key, isChosen), []);
}

function Spacer({ height, width }: { height: number; width: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden style={{ height }}>
      <td colSpan={width} className="p-0" />
    </tr>
  );
}

function Cards<Row>({ label, columns, rows, rowKey, selection }: DataTableProps<Row>) {
  const [title, ...rest] = columns;
  const facts = rest.filter(({ tableOnly }) => !tableOnly);
  return (
    <VirtualList rows={rows} rowKey={rowKey} rowHeight={96} label={label}>
      {(row) => (
        <div className="flex gap-2 border-b border-border py-3">
          {selection ? (
            <RowChoice
              rowKey={rowKey(row)}
              name={selection.nameOf(rowKey(row))}
              isChosen={selection.chosen.has(rowKey(row))}
              onChoose={selection.onChoose}
            />
          ) : null}
          <div className="min-w-0 flex-1">
            <div className="min-w-0 text-body font-medium [&>.truncate]:block">{title?.cell(row)}</div>
            <dl className="mt-1 flex flex-wrap gap-x-4 gap-y-1 text-table">
              {facts.map((column) => (
                <div
                  key={column.id}
                  className={classes(
                    'flex min-w-0 gap-1.5 has-[>dd:empty]:hidden',
                    column.isLong ? 'basis-full items-start' : 'items-center',
                  )}
                >
                  <dt className={column.nameless ? 'sr-only' : 'shrink-0 text-text-2'}>{column.header}</dt>
                  <dd className="line-clamp-3 min-w-0 break-words">{column.cell(row)}</dd>
                </div>
              ))}
            </dl>
          </div>
        </div>
      )}
    </VirtualList>
  );
}
