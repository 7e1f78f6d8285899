import { blank } from '../lib/format/format.ts';
import { useFormat } from '../lib/format/use-format.ts';
import { useAtNow } from '../lib/format/use-now.ts';

/** Shows how long ago something was. It ticks; the title has the exact time. */
export function TimeAgo({ at }: { at: string | null }) {
  return at === null ? <span>{blank}</span> : <Ago at={at} />;
}

function Ago({ at }: { at: string }) {
  const format = useFormat();
  const date = new Date(at);
  const age = useAtNow((now) => format.relative(date, Math.max(now, date.getTime())));
  return (
    <time dateTime={at} title={format.dateTime(date)} className="whitespace-nowrap tabular-nums">
      {age}
    </time>
  );
}
