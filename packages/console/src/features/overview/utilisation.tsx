import type { InstanceLoad, PoolOverview } from '@switchyard/contract/dispatch/overview';
import { Link } from 'wouter';
import { StandingBars } from '../../kit/bars/standing-bars.tsx';
import { Section } from '../../kit/section.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';

/** How busy each instance was, minute by minute, with the same as a number. */
export function Utilisation({ board }: { board: PoolOverview }) {
  const text = useText('overview');
  return (
    <Section
      title={text('load.title')}
      aside={<span className="text-table text-text-2">{text('lastHour')}</span>}
    >
      {board.instances.length === 0 ? <p className="text-body text-text-2">{text('load.none')}</p> : null}
      <ul className="flex flex-col gap-2">
        {board.instances.map((load) => (
          <li key={load.instanceId}>
            <Strip load={load} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Strip({ load }: { load: InstanceLoad }) {
  const text = useText('overview');
  const format = useFormat();
  const percent = format.percent(load.utilisation * 100);
  return (
    <div className="grid grid-cols-[minmax(5rem,8rem)_1fr_3rem] items-center gap-3 text-table">
      <Link
        href={`/instances/${encodeURIComponent(load.instanceId)}`}
        className="min-w-0 truncate hover:underline"
      >
        {load.serverName}
      </Link>
      <StandingBars
        layers={[
          {
            bars: load.busy.map((part) => ({ from: 0, to: part })),
            className: 'fill-chart-1 forced-colors:fill-[Highlight]',
          },
        ]}
        className="h-5 w-full rounded-control bg-sunken"
      />
      <span className="text-right tabular-nums">{percent}</span>
      <span className="col-start-2 -mt-1 text-meta text-text-2">
        {load.lastUsedAt === null ? text('load.neverUsed') : text('load.lastUsed')}{' '}
        {load.lastUsedAt === null ? null : <TimeAgo at={load.lastUsedAt} />}
      </span>
    </div>
  );
}
