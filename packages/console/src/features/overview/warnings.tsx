import type { PoolOverview } from '@switchyard/contract/dispatch/overview';
import { TriangleAlert } from 'lucide-react';
import { Link } from 'wouter';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import { type Warning, warningsOf } from './headline.ts';

const maxShown = 5;

/** What needs somebody's attention now, each with the way to the page where it can be mended. */
export function Warnings({ board }: { board: PoolOverview }) {
  const text = useText('overview');
  const warnings = warningsOf(board);
  if (warnings.length === 0) return null;
  return (
    <ul aria-label={text('warning.label')} className="flex flex-col gap-2">
      {warnings.slice(0, maxShown).map((warning) => (
        <li
          key={warning.key === 'unreachable' ? warning.instanceId : warning.key}
          className="flex items-start gap-2 rounded-card bg-waiting-tint px-3 py-2 text-body"
        >
          <TriangleAlert size={16} strokeWidth={1.75} aria-hidden className="mt-0.5 shrink-0 text-waiting" />
          <WarningText warning={warning} />
        </li>
      ))}
      {warnings.length > maxShown ? (
        <li className="text-table text-text-2">
          {text('warning.more', { count: warnings.length - maxShown })}
        </li>
      ) : null}
    </ul>
  );
}

function WarningText({ warning }: { warning: Warning }) {
  const text = useText('overview');
  const format = useFormat();
  const values = {
    count: 'count' in warning ? warning.count : 0,
    name: 'name' in warning ? warning.name : '',
    pools: 'pools' in warning ? format.list(warning.pools) : '',
  };
  return (
    <p className="flex min-w-0 flex-wrap gap-x-2 break-words">
      <span>{text(`warning.${warning.key}`, values)}</span>
      <Link href={addressOf(warning)} className="text-accent underline">
        {text(`warning.${warning.key}Action`)}
      </Link>
    </p>
  );
}

function addressOf(warning: Warning): string {
  if (warning.key === 'unreachable') return `/instances/${encodeURIComponent(warning.instanceId)}`;
  return warning.key === 'noWorker' ? '/instances' : '/instances?view=pauses';
}
