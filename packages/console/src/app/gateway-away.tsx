import { Button } from '../kit/button.tsx';
import { useText } from '../lib/i18n.ts';

/** The gateway does not answer at all, so there is nothing to show but this. */
export function GatewayAway({ retry }: { retry: () => unknown }) {
  const text = useText('app');
  return (
    <main className="mx-auto flex min-h-dvh max-w-96 flex-col items-start justify-center gap-4 p-4">
      <h1 className="text-title font-semibold">{text('away.title')}</h1>
      <p className="text-body text-text-2">{text('away.cause')}</p>
      <Button variant="solid" onClick={() => retry()}>
        {text('away.retry')}
      </Button>
    </main>
  );
}
