import { memo } from 'react';
import { classes } from '../parts/classes.ts';
import { type Column, columnLook } from './column.ts';
import { RowChoice } from './row-choice.tsx';

interface TableRowProps<Row> {
  row: Row;
  rowKey: string;
  index: number;
  columns: readonly Column<Row>[];
  isCurrent: boolean;
  isChosen: boolean;
  onChoose: (key: string, isChosen: boolean) => void;
  /** What the checkbox calls the row; null in a table without a choice. */
  choiceName: string | null;
}

function Line<Row>(props: TableRowProps<Row>) {
  const { row, rowKey, index, columns, isCurrent, isChosen, onChoose, choiceName } = props;
  return (
    <tr
      aria-rowindex={index + 2}
      aria-selected={choiceName === null ? undefined : isChosen}
      data-row={rowKey}
      className={classes('h-(--row) hover:bg-surface', (isCurrent || isChosen) && 'bg-running-tint')}
    >
      {choiceName === null ? null : (
        <td className="border-b border-border p-0 text-center">
          <RowChoice rowKey={rowKey} name={choiceName} isChosen={isChosen} onChoose={onChoose} />
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.id}
          className={classes(
            'border-b border-border px-2 py-0 whitespace-nowrap',
            !column.fits && 'overflow-hidden text-ellipsis',
            columnLook(column),
          )}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** A row is not drawn again while the list scrolls past it. */
export const TableRow = memo(Line) as typeof Line;
