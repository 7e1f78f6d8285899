import type { ConsoleUsage } from '@switchyard/contract/conversation/console';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useMemo } from 'react';
import { useSearch } from 'wouter';
import { Button } from '../../kit/button.tsx';
import { csvText } from '../../kit/chart/csv.ts';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { Select } from '../../kit/select.tsx';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { Switch } from '../../kit/switch.tsx';
import { TabLinks } from '../../kit/tab-links.tsx';
import type { Column } from '../../kit/table/column.ts';
import { useQueryState } from '../../lib/address.ts';
import { useAgentNames } from '../../lib/data/assistants.ts';
import { usageQuery } from '../../lib/data/usage.ts';
import { blank } from '../../lib/format/format.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import { changeQuery } from '../../lib/query-string.ts';
import { saveFile } from '../../lib/save-file.ts';
import { useSession } from '../../lib/session.ts';
import { DayCharts } from './day-charts.tsx';
import { type Grouping, groupings, tokenSums, type UsageRow, usageRows } from './usage-sums.ts';

const periods = ['7', '14', '30', '90'] as const;
const usualPeriod = '14';

/** Tokens beside the time of workers: by day, model, agent, workflow and, for administrators, user. */
export function UsagePage() {
  const text = useText('usage');
  const { isAdmin } = useSession();
  const [askedDays, setDays] = useQueryState('days');
  const [askedScope, setScope] = useQueryState('scope');
  const days = periods.find((each) => each === askedDays) ?? usualPeriod;
  const scope = isAdmin && askedScope === 'all' ? 'all' : 'own';
  const query = useQuery(usageQuery({ days: Number(days), scope }));
  return (
    <Page title={text('title')} lead={text('estimated')}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Select
          label={text('days')}
          value={days}
          options={periods.map((value) => ({ value, label: text('lastDays', { days: Number(value) }) }))}
          onChange={(next) => setDays(next === usualPeriod ? null : next)}
        />
        {isAdmin ? (
          <Switch
            label={text('allUsers')}
            checked={scope === 'all'}
            onChange={(all) => setScope(all ? 'all' : null)}
          />
        ) : null}
      </div>
      <QueryView
        query={query}
        isEmpty={(usage) => usage.total_runs + usage.total_tasks + usage.total_tokens === 0}
        first={
          <EmptyState title={text('none')} command={`switchyard usage --days ${days}`}>
            {text('noneHelp')}
          </EmptyState>
        }
      >
        {(usage) => (
          <div className="flex min-w-0 flex-col gap-8">
            <UsageCards usage={usage} />
            <DayCharts usage={usage} />
            <UsageGroups usage={usage} showsUsers={scope === 'all'} />
          </div>
        )}
      </QueryView>
    </Page>
  );
}

/** The sums of the period. */
function UsageCards({ usage }: { usage: ConsoleUsage }) {
  const text = useText('usage');
  const format = useFormat();
  const { input, output, cached, simulated } = tokenSums(usage);
  const costs = Object.entries(usage.costs).map(([currency, cost]) => format.money(cost, currency));
  const known = costs.length === 0 ? blank : format.list(costs);
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 border-y border-border py-4 sm:grid-cols-4 lg:grid-cols-7">
      <Card
        name={text('input')}
        value={format.compact(input)}
        note={cached > 0 ? text('ofCache', { count: format.compact(cached) }) : ''}
      />
      <Card name={text('output')} value={format.compact(output)} note="" />
      <Card name={text('simulated')} value={format.compact(simulated)} note={text('notBilled')} />
      <Card
        name={text('cost')}
        value={known}
        note={
          usage.unpriced_tokens > 0 ? text('unpriced', { count: format.compact(usage.unpriced_tokens) }) : ''
        }
      />
      <Card name={text('runs')} value={format.count(usage.total_runs)} note="" />
      <Card name={text('tasks')} value={format.count(usage.total_tasks)} note={text('ofAgents')} />
      <Card
        name={text('worker')}
        value={format.duration(usage.total_task_seconds * 1_000)}
        note={
          usage.total_worker_cost === null
            ? text('ofAgents')
            : format.money(usage.total_worker_cost, usage.worker_currency)
        }
      />
    </dl>
  );
}

/** The usage by model, agent, workflow or user: one table at a time, each with an address. */
function UsageGroups({ usage, showsUsers }: { usage: ConsoleUsage; showsUsers: boolean }) {
  const text = useText('usage');
  const search = useSearch();
  const offered = groupings.filter((each) => each !== 'user' || showsUsers);
  const asked = new URLSearchParams(search).get('by');
  const grouping = offered.find((each) => each === asked) ?? 'model';
  const agentName = useAgentNames(usage.by_agent.map(({ agent }) => agent));
  const rows = useMemo(() => usageRows(usage, grouping, agentName), [usage, grouping, agentName]);
  const hint = useCommandHint(`switchyard usage${showsUsers ? ' --all' : ''} -o json`);
  const save = (): void => {
    const [first] = rows;
    const names = Object.keys(first ?? {}) as (keyof typeof first)[];
    saveFile(
      `usage-by-${grouping}.csv`,
      csvText([names, ...rows.map((row) => names.map((name) => row[name]))]),
    );
  };
  return (
    <section className="flex min-w-0 flex-col gap-3">
      <TabLinks
        label={text('by.label')}
        tabs={offered.map((each) => ({
          label: text(`by.${each}`),
          href: `/usage${changeQuery(search, { by: each === 'model' ? null : each })}`,
          current: each === grouping,
        }))}
      />
      {rows.length === 0 ? (
        <p className="py-4 text-text-2">{text('by.none')}</p>
      ) : (
        <>
          <GroupTable rows={rows} grouping={grouping} usage={usage} />
          <div>
            <Button
              {...hint}
              size="s"
              icon={<Download size={14} strokeWidth={1.75} aria-hidden />}
              onClick={save}
            >
              {text('by.save')}
            </Button>
          </div>
        </>
      )}
    </section>
  );
}

function Card({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <div className="min-w-0">
      <dt className="text-table text-text-2">{name}</dt>
      <dd className="text-title font-semibold break-words tabular-nums">{value}</dd>
      {note === '' ? null : <dd className="text-meta text-text-2">{note}</dd>}
    </div>
  );
}

/** Rows with a bar for their share. Simulated tokens have stripes and a column of their own. */
function GroupTable({
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

/** A bar for the share of a row. Screen readers skip it, because the numbers beside it have the same facts. */
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
