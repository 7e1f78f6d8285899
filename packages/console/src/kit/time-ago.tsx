import { blank } from '../lib/format/format.ts';
import { useFormat } from '../lib/format/use-format.ts';
import { useNow } from '../lib/format/use-now.ts';

/** How long ago something was. It ticks; the title says the exact time. */
export function TimeAgo({ at }: { at: string | null }) {
  const now = useNow();
  const format = useFormat();
  if (at === null) return <span>{blank}</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={format.dateTime(date)} className="whitespace-nowrap tabular-nums">
      {format.relative(date, Math.max(now, date.getTime()))}
    </time>
  );
}
