import { memo } from 'react';
import { useText } from '../../lib/i18n.ts';
import { Checkbox } from '../checkbox.tsx';
import { classes } from '../parts/classes.ts';
import { type Column, columnLook, type Selection } from './column.ts';

interface TableHeadProps<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  selection: Selection | undefined;
}

function Head<Row>({ columns, rows, rowKey, selection }: TableHeadProps<Row>) {
  return (
    <thead className="sticky top-(--bar) z-10 bg-bg short:static">
      <tr className="h-9 text-text-2 shadow-[inset_0_-1px_0_var(--border)]">
        {selection ? (
          <th scope="col" className="w-9 p-0 text-center">
            <ChooseAll rows={rows} rowKey={rowKey} selection={selection} />
          </th>
        ) : null}
        {columns.map((column) => (
          <th
            key={column.id}
            scope="col"
            title={column.hideHeader ? undefined : column.header}
            className={classes('truncate px-2 text-left font-medium', columnLook(column))}
            style={column.width === undefined ? undefined : { width: column.width }}
          >
            {column.hideHeader ? <span className="sr-only">{column.header}</span> : column.header}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** The names of the columns, and the checkbox for all rows. It is not drawn again while the list scrolls. */
export const TableHead = memo(Head) as typeof Head;

interface ChooseAllProps<Row> extends Pick<TableHeadProps<Row>, 'rows' | 'rowKey'> {
  selection: Selection;
}

function ChooseAll<Row>({ rows, rowKey, selection: { chosen, onChooseAll } }: ChooseAllProps<Row>) {
  const text = useText('kit');
  const count = chosen.size === 0 ? 0 : rows.filter((row) => chosen.has(rowKey(row))).length;
  return (
    <Checkbox
      hideLabel
      label={text('table.chooseAll')}
      checked={count > 0 && count === rows.length}
      mixed={count > 0 && count < rows.length}
      onChange={onChooseAll}
    />
  );
}
