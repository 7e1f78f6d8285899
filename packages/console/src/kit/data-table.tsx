import { type ReactNode, useEffect, useRef } from 'react';
import { useText } from '../lib/i18n.ts';
import { Checkbox } from './checkbox.tsx';
import { classes, focusRing } from './parts/classes.ts';
import { useMedia, wideEnoughForTables } from './parts/use-media.ts';
import { useRowWindow, VirtualList } from './virtual-list.tsx';

export interface Column<Row> {
  id: string;
  header: string;
  /** The first column has the link to the row. */
  cell: (row: Row) => ReactNode;
  align?: 'start' | 'end';
  /** The width as CSS; without one the columns share what is left. */
  width?: string;
  /** Says what it is by itself, so that cards show no name beside it. */
  nameless?: boolean;
  /** Left out on cards. */
  tableOnly?: boolean;
  /** Left out while the window is narrower than 64 rem. */
  wideOnly?: boolean;
}

export interface Selection {
  chosen: ReadonlySet<string>;
  /** `range` extends the choice from the row that was chosen last. */
  onChoose: (key: string, chosen: boolean) => void;
  onChooseAll: (chosen: boolean) => void;
  nameOf: (key: string) => string;
}

export interface DataTableProps<Row> {
  /** Says what the table lists. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
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

function Table<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, selection, current, rowHeight = compactRow } = props;
  const start = useRef<HTMLTableSectionElement>(null);
  const { rows: view, offset } = useRowWindow({ count: rows.length, rowHeight, start });
  const index = current === undefined ? -1 : rows.findIndex((row) => rowKey(row) === current);
  useEffect(() => {
    if (index >= 0) view.scrollToIndex(index, { align: 'auto' });
  }, [index, view]);
  const items = view.getVirtualItems();
  const above = (items[0]?.start ?? offset) - offset;
  const below = view.getTotalSize() - ((items.at(-1)?.end ?? offset) - offset);
  const width = columns.length + (selection ? 1 : 0);
  return (
    <table className="w-full table-fixed border-collapse text-table" aria-rowcount={rows.length + 1}>
      <caption className="sr-only">{label}</caption>
      <Head columns={columns} rows={rows} rowKey={rowKey} selection={selection} />
      <tbody ref={start}>
        <Spacer height={above} width={width} />
        {items.map(({ index }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const key = rowKey(row);
          return (
            <tr
              key={key}
              aria-rowindex={index + 2}
              aria-selected={selection ? selection.chosen.has(key) : undefined}
              data-row={key}
              className={classes(
                'border-b border-border hover:bg-surface',
                current === key && 'bg-running-tint',
                selection?.chosen.has(key) && 'bg-running-tint',
              )}
              style={{ height: rowHeight }}
            >
              {selection ? (
                <td className="p-0 text-center">
                  <RowChoice rowKey={key} selection={selection} />
                </td>
              ) : null}
              {columns.map((column) => (
                <td
                  key={column.id}
                  className={classes(
                    'overflow-hidden px-2 py-0 text-ellipsis whitespace-nowrap',
                    look(column),
                  )}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          );
        })}
        <Spacer height={below} width={width} />
      </tbody>
    </table>
  );
}

function Head<Row>({
  columns,
  rows,
  rowKey,
  selection,
}: Pick<DataTableProps<Row>, 'columns' | 'rows' | 'rowKey' | 'selection'>) {
  const text = useText('kit');
  const chosen = selection ? rows.filter((row) => selection.chosen.has(rowKey(row))).length : 0;
  return (
    <thead className="sticky top-(--bar) z-10 bg-bg">
      <tr className="h-9 text-text-2 shadow-[inset_0_-1px_0_var(--border)]">
        {selection ? (
          <th scope="col" className="w-9 p-0 text-center">
            <Checkbox
              hideLabel
              label={text('table.chooseAll')}
              checked={chosen > 0 && chosen === rows.length}
              mixed={chosen > 0 && chosen < rows.length}
              onChange={selection.onChooseAll}
            />
          </th>
        ) : null}
        {columns.map((column) => (
          <th
            key={column.id}
            scope="col"
            className={classes('truncate px-2 text-left font-medium', look(column))}
            style={column.width === undefined ? undefined : { width: column.width }}
          >
            {column.header}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Spacer({ height, width }: { height: number; width: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden style={{ height }}>
      <td colSpan={width} className="p-0" />
    </tr>
  );
}

/** The checkbox of the browser: a list makes one for each row that scrolls by. */
function RowChoice({ rowKey, selection }: { rowKey: string; selection: Selection }) {
  const text = useText('kit');
  return (
    <label className="inline-flex min-h-6 min-w-6 cursor-pointer items-center justify-center pointer-coarse:min-h-11 pointer-coarse:min-w-11">
      <input
        type="checkbox"
        aria-label={text('table.choose', { name: selection.nameOf(rowKey) })}
        checked={selection.chosen.has(rowKey)}
        onChange={(event) => selection.onChoose(rowKey, event.target.checked)}
        className={`${focusRing} size-4 cursor-pointer accent-accent-solid`}
      />
    </label>
  );
}

function Cards<Row>({ label, columns, rows, rowKey, selection }: DataTableProps<Row>) {
  const [title, ...rest] = columns;
  const facts = rest.filter(({ tableOnly }) => !tableOnly);
  return (
    <VirtualList rows={rows} rowKey={rowKey} rowHeight={96} label={label}>
      {(row) => (
        <div className="flex gap-2 border-b border-border py-3">
          {selection ? <RowChoice rowKey={rowKey(row)} selection={selection} /> : null}
          <div className="min-w-0 flex-1">
            <div className="min-w-0 text-body font-medium">{title?.cell(row)}</div>
            <dl className="mt-1 flex flex-wrap gap-x-4 gap-y-1 text-table">
              {facts.map((column) => (
                <div key={column.id} className="flex min-w-0 items-center gap-1.5">
                  <dt className={column.nameless ? 'sr-only' : 'text-text-2'}>{column.header}</dt>
                  <dd className="min-w-0 truncate">{column.cell(row)}</dd>
                </div>
              ))}
            </dl>
          </div>
        </div>
      )}
    </VirtualList>
  );
}

function look({ align, wideOnly }: { align?: 'start' | 'end'; wideOnly?: boolean }): string {
  return classes(align === 'end' && 'text-right! tabular-nums', wideOnly && 'hidden lg:table-cell');
}
