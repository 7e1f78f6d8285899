import type { PoolOverview } from '@switchyard/contract/dispatch/overview';
import { StandingBars } from '../../kit/bars/standing-bars.tsx';
import { Section } from '../../kit/section.tsx';
import { blank } from '../../lib/format/format.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';

/** The number of tasks that ended in each minute, as bars; a table has the same numbers. */
export function Throughput({ board }: { board: PoolOverview }) {
  const text = useText('overview');
  const format = useFormat();
  const { minutes, counts } = board;
  const highest = Math.max(1, ...minutes.map(({ completed, failed }) => completed + failed));
  const waits = (ms: number | null) => (ms === null ? blank : format.duration(ms));
  return (
    <Section
      title={text('rate.title')}
      aside={<span className="text-table text-text-2">{text('lastHour')}</span>}
    >
      <div aria-hidden className="flex flex-col gap-1">
        <StandingBars
          layers={[
            {
              bars: minutes.map(({ completed }) => ({ from: 0, to: completed / highest })),
              className: 'fill-chart-3 forced-colors:fill-[CanvasText]',
            },
            {
              bars: minutes.map(({ completed, failed }) => ({
                from: completed / highest,
                to: (completed + failed) / highest,
              })),
              className: 'fill-failed forced-colors:fill-[Highlight]',
            },
          ]}
          className="h-20 w-full border-b border-border"
        />
        <p className="flex justify-between text-meta text-text-2">
          <span>{text('rate.from')}</span>
          <span>{text('rate.highest', { count: highest })}</span>
          <span>{text('rate.now')}</span>
        </p>
      </div>
      <dl className="flex flex-wrap gap-x-6 gap-y-1 text-table">
        <Wait name={text('wait.half')} value={waits(counts.waitMsP50)} />
        <Wait name={text('wait.most')} value={waits(counts.waitMsP95)} />
        <Wait
          name={text('wait.oldest')}
          value={
            counts.oldestPendingSeconds === null
              ? blank
              : format.duration(counts.oldestPendingSeconds * 1_000)
          }
        />
      </dl>
      <details className="text-table">
        <summary className="min-h-6 cursor-pointer text-text-2">{text('rate.table')}</summary>
        <Minutes board={board} />
      </details>
    </Section>
  );
}

function Wait({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex gap-1.5">
      <dt className="text-text-2">{name}</dt>
      <dd className="tabular-nums">{value}</dd>
    </div>
  );
}

function Minutes({ board }: { board: PoolOverview }) {
  const text = useText('overview');
  const format = useFormat();
  const rows = board.minutes.filter(({ completed, failed }) => completed + failed > 0).reverse();
  if (rows.length === 0) return <p className="text-text-2">{text('rate.none')}</p>;
  return (
    <table className="mt-2 w-full max-w-80">
      <thead className="text-left text-text-2">
        <tr>
          <th scope="col" className="font-medium">
            {text('rate.minute')}
          </th>
          <th scope="col" className="text-right font-medium">
            {text('rate.completed')}
          </th>
          <th scope="col" className="text-right font-medium">
            {text('rate.failed')}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ at, completed, failed }) => (
          <tr key={at} className="tabular-nums">
            <th scope="row" className="text-left font-normal">
              {format.time(new Date(at))}
            </th>
            <td className="text-right">{format.count(completed)}</td>
            <td className="text-right">{format.count(failed)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
