import { Circle, CircleDashed, CloudOff } from 'lucide-react';
import { useFormat } from '../../lib/format/use-format.ts';
import { useNow } from '../../lib/format/use-now.ts';
import { useText } from '../../lib/i18n.ts';
import { useLive } from '../../lib/live/live-provider.tsx';

const looks = {
  live: { icon: Circle, colour: 'text-done' },
  reconnecting: { icon: CircleDashed, colour: 'text-waiting' },
  stale: { icon: CloudOff, colour: 'text-off' },
};

/** Shows whether the page is current, and since when it is not. */
export function LiveChip() {
  const text = useText('app');
  const { state, since } = useLive();
  const { icon: Icon, colour } = looks[state];
  return (
    <span
      role="status"
      title={text(`live.${state}`)}
      className={`flex min-w-0 items-center gap-1.5 px-1 text-table whitespace-nowrap ${colour}`}
    >
      <Icon
        size={state === 'live' ? 8 : 16}
        strokeWidth={1.75}
        fill={state === 'live' ? 'currentColor' : 'none'}
        aria-hidden
        className="shrink-0"
      />
      <span className={state === 'live' ? 'sr-only sm:not-sr-only' : 'min-w-0 truncate'}>
        {state === 'stale' && since !== null ? <Age since={since} /> : text(`live.${state}`)}
      </span>
    </span>
  );
}

function Age({ since }: { since: number }) {
  const text = useText('app');
  const format = useFormat();
  const now = useNow();
  return text('live.age', { age: format.relative(new Date(since), Math.max(now, since)) });
}
