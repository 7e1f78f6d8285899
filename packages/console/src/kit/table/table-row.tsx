import { memo } from 'react';
import { useRowHint } from '../command-hint.tsx';
import { classes } from '../parts/classes.ts';
import { rowMarks, rowRing } from '../rows/row-marks.ts';
import { type Column, columnLook } from './column.ts';
import { RowChoice } from './row-choice.tsx';

interface RowCellsProps<Row> {
  row: Row;
  rowKey: string;
  columns: readonly Column<Row>[];
  isChosen: boolean;
  onChoose: (key: string, isChosen: boolean) => void;
  /** The name of the row on its checkbox; null in a table without a choice. */
  choiceName: string | null;
}

interface TableRowProps<Row> extends RowCellsProps<Row> {
  index: number;
  isCurrent: boolean;
  command: string | undefined;
}

function Line<Row>({ index, isCurrent, command, ...cells }: TableRowProps<Row>) {
  const hint = useRowHint(command);
  const { rowKey, isChosen, choiceName } = cells;
  return (
    <tr
      aria-rowindex={index + 2}
      aria-selected={choiceName === null ? undefined : isChosen}
      {...rowMarks(rowKey)}
      {...hint}
      className={classes(
        rowRing,
        'h-(--row) focus-within:bg-running-tint hover:bg-surface',
        (isCurrent || isChosen) && 'bg-running-tint forced-colors:outline forced-colors:-outline-offset-1',
      )}
    >
      <RowCells {...cells} />
    </tr>
  );
}

/** A row is not drawn again while the list scrolls past it. */
export const TableRow = memo(Line) as typeof Line;

function Cells<Row>({ row, rowKey, columns, isChosen, onChoose, choiceName }: RowCellsProps<Row>) {
  return (
    <>
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
    </>
  );
}

/** The cells stay as they are when a row gets another place, as all rows do when a new one comes above them. */
const RowCells = memo(Cells) as typeof Cells;
