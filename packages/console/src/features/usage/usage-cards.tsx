import type { ConsoleUsage } from '@switchyard/contract/conversation/console';
import { blank } from '../../lib/format/format.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import { tokenSums } from './usage-sums.ts';

/** The sums of the period. */
export function UsageCards({ usage }: { usage: ConsoleUsage }) {
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

function Card({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <div className="min-w-0">
      <dt className="text-table text-text-2">{name}</dt>
      <dd className="text-title font-semibold break-words tabular-nums">{value}</dd>
      {note === '' ? null : <dd className="text-meta text-text-2">{note}</dd>}
    </div>
  );
}
