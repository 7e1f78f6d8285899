import { useFormat } from '../../../lib/format/use-format.ts';
import { useNow } from '../../../lib/format/use-now.ts';
import { useText } from '../../../lib/i18n.ts';

/** How long it will still take, as a range. Nothing is shown where too little is known. */
export function Estimate({ eta }: { eta: { from: string; to: string } | null }) {
  const text = useText('chat');
  const format = useFormat();
  const now = useNow();
  if (eta === null) return null;
  const to = Date.parse(eta.to) - now;
  if (to <= 0) return <span>{text('task.longer')}</span>;
  return (
    <span>{text('task.about', { range: format.range(Math.max(0, Date.parse(eta.from) - now), to) })}</span>
  );
}
