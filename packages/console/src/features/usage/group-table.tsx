import type { ConsoleUsage } from '@switchyard/contract/conversation/console';
import { DataTable } from '../../kit/data-table.tsx';
import type { Column } from '../../kit/table/column.ts';
import { blank } from '../../lib/format/format.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import type { Grouping, UsageRow } from './usage-sums.ts';

/** Rows with a bar for their share. Simulated tokens have stripes and a column of their own. */
export function GroupTable({
  rows,
  grouping,
  usage,
}: {
  rows: readonly UsageRow[];
  grouping: Grouping;
  usage: ConsoleUsage;
}) {
  const text = useText('usage');
  const format = useFormat();
  const isWork = grouping === 'workflow';
  const isModel = grouping === 'model';
  const max = Math.max(1, ...rows.map((row) => sizeOf(row, isWork)));
  const number = (id: keyof UsageRow & string, header: string): Column<UsageRow> => ({
    id,
    header,
    align: 'end',
    cell: (row) => shown(row[id] as number | null, format.count),
  });
  const seconds: Column<UsageRow> = {
    ...number('workerSeconds', text('worker')),
    cell: ({ workerSeconds }) => shown(workerSeconds, (value) => format.duration(value * 1_000)),
  };
  const workerCost: Column<UsageRow> = {
    ...number('workerCost', text('workerCost')),
    wideOnly: grouping !== 'workflow',
    cell: (row) => format.money(row.workerCost, usage.worker_currency),
  };
  const cost: Column<UsageRow> = {
    ...number('cost', text('cost')),
    cell: (row) => format.money(row.cost, row.currency),
  };
  const tokens = [
    number('tokens', text('tokens')),
    { ...number('simulatedTokens', text('simulated')), width: '13%' },
    { ...number('runs', text('runs')), wideOnly: !isModel },
    cost,
  ];
  const tasks = [
    { ...number('tasks', text('tasks')), wideOnly: !isWork },
    ...(isWork ? [number('failedTasks', text('failed'))] : []),
    seconds,
    workerCost,
  ];
  const columns: Column<UsageRow>[] = [
    {
      id: 'name',
      header: text(`by.${grouping}`),
      // The numbers share what is left, so that the names have room beside many of them.
      width: isWork || isModel ? '30%' : '24%',
      cell: ({ id, name }) => (
        <span className="block truncate" title={id === name ? (name ?? '') : `${name} · ${id}`}>
          {name ?? text('by.unnamed')}
        </span>
      ),
    },
    {
      id: 'share',
      header: text('share'),
      width: isWork || isModel ? '14%' : '7%',
      tableOnly: true,
      wideOnly: true,
      cell: (row) => <Share row={row} max={max} isWork={isWork} />,
    },
    ...(isWork ? [] : tokens),
    ...(isModel ? [] : tasks),
  ];
  return (
    <DataTable label={text(`by.${grouping}`)} columns={columns} rows={rows} rowKey={({ id }) => id ?? ''} />
  );
}

/** Said again by the numbers beside it. */
function Share({ row, max, isWork }: { row: UsageRow; max: number; isWork: boolean }) {
  const percent = (value: number | null) => `${((value ?? 0) / max) * 100}%`;
  return (
    <span aria-hidden className="flex h-2.5 w-full">
      <span
        className={`forced-colors:bg-[CanvasText] ${isWork ? 'bg-chart-3' : 'bg-chart-1'}`}
        style={{ width: percent(isWork ? row.workerSeconds : row.tokens) }}
      />
      {isWork ? null : (
        <span
          className="forced-colors:border bg-[repeating-linear-gradient(135deg,var(--chart-1)_0_1.5px,transparent_1.5px_4px)]"
          style={{ width: percent(row.simulatedTokens) }}
        />
      )}
    </span>
  );
}

function sizeOf({ tokens, simulatedTokens, workerSeconds }: UsageRow, isWork: boolean): number {
  return isWork ? (workerSeconds ?? 0) : (tokens ?? 0) + (simulatedTokens ?? 0);
}

function shown(value: number | null, format: (value: number) => string): string {
  return value === null ? blank : format(value);
}
