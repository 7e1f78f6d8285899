import type { PoolOverview } from '@switchyard/contract/dispatch/overview';
import { Link } from 'wouter';
import { focusRing } from '../../kit/parts/classes.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';

/** The numbers; each leads to the list of what it counts. */
export function Counters({ board }: { board: PoolOverview }) {
  const text = useText('overview');
  const format = useFormat();
  const { counts } = board;
  const oldest = counts.oldestPendingSeconds;
  const { waitMsP50: half, waitMsP95: most } = counts;
  const share = shareOf(counts);
  const counters = [
    {
      name: text('counter.instances'),
      value: text('counter.aliveOf', { alive: counts.aliveInstances, total: counts.totalInstances }),
      note: text('counter.off', { count: counts.disabledInstances }),
      href: '/instances',
    },
    {
      name: text('counter.running'),
      value: format.count(counts.runningTasks),
      note: text('counter.rate', { rate: counts.tasksPerMinute }),
      href: '/tasks?status=running',
    },
    {
      name: text('counter.waiting'),
      value: format.count(counts.pendingTasks),
      note:
        oldest === null
          ? text('counter.noneWaits')
          : text('counter.oldest', { time: format.duration(oldest * 1_000) }),
      href: '/tasks?status=pending',
    },
    {
      name: text('counter.done'),
      value: format.count(counts.completedTasks),
      note:
        half === null || most === null
          ? ''
          : text('counter.waits', { half: format.duration(half), most: format.duration(most) }),
      href: '/tasks?status=completed',
    },
    {
      name: text('counter.failed'),
      value: format.count(counts.failedTasks),
      note: share === null ? '' : text('counter.share', { share }),
      href: '/tasks?status=failed',
    },
  ];
  return (
    <ul className="grid grid-cols-2 gap-x-6 gap-y-4 border-y border-border py-4 sm:grid-cols-3 lg:grid-cols-5">
      {counters.map(({ name, value, note, href }) => (
        <li key={href} className="min-w-0">
          <Link href={href} className={`${focusRing} group block rounded-control`}>
            <span className="block text-table text-text-2 group-hover:underline">{name}</span>
            <span className="block text-number font-semibold tabular-nums">{value}</span>
            <span className="block text-meta text-text-2">{note}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Returns null before anything has ended. */
function shareOf({ completedTasks, failedTasks }: PoolOverview['counts']): number | null {
  const ended = completedTasks + failedTasks;
  return ended === 0 ? null : failedTasks / ended;
}
