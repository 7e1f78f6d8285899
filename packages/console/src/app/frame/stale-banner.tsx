import { useText } from '../../lib/i18n.ts';
import { useLive } from '../../lib/live/live-provider.tsx';

/** Says that the page shows the last known state. What is on the page stays. */
export function StaleBanner() {
  const text = useText('app');
  const { state } = useLive();
  if (state !== 'stale') return null;
  return (
    <div role="status" className="border-b border-border bg-waiting-tint px-4 py-2 text-body sm:px-6">
      {text('live.stopped')}
    </div>
  );
}
