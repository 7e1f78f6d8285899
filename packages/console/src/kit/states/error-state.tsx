import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { Button } from '../button.tsx';
import { describeError } from './error-text.ts';

/** A message about a failure: the failure, its reason, and what the user can do now. */
export function ErrorState({
  error,
  retry,
  busy,
  stale,
}: {
  error: unknown;
  retry: () => unknown;
  busy?: boolean | undefined;
  /** Older content is still shown below. */
  stale?: boolean | undefined;
}) {
  const text = useText('kit');
  const words = useGatewayWords();
  const { kind, status, requestId } = describeError(error);
  return (
    <div
      role="alert"
      className="flex max-w-[48rem] flex-col items-start gap-2 rounded-card border border-border bg-failed-tint p-3"
    >
      <p className="text-body font-medium text-failed">{text(`error.${kind}`, { status: status ?? 0 })}</p>
      <p className="text-body break-words text-text">{words.error(error)}</p>
      {stale ? <p className="text-table text-text-2">{text('error.stale')}</p> : null}
      <div className="flex flex-wrap items-center gap-3">
        {kind === 'forbidden' ? null : (
          <Button size="s" isBusy={busy} onClick={() => void retry()}>
            {text('error.retry')}
          </Button>
        )}
        {requestId ? (
          <span className="font-mono text-meta break-all text-text-2">
            {text('error.request', { id: requestId })}
          </span>
        ) : null}
      </div>
    </div>
  );
}
