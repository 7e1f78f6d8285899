import { StatusWord } from '../../../kit/status-word.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { RunNews } from '../../../lib/live/run-news.ts';

/** Notices about the stream itself. */
export function RunNotices({ news: { phase, isRestored, retry, error } }: { news: RunNews }) {
  const text = useText('chat');
  return (
    <div className="flex flex-col gap-1 text-body">
      {isRestored ? <p className="text-text-2">{text('notice.restored')}</p> : null}
      {phase === 'reconnecting' ? (
        <StatusWord kind="waiting">{text('notice.reconnecting')}</StatusWord>
      ) : null}
      {retry && phase === 'streaming' ? (
        <StatusWord kind="waiting">
          {text('notice.retry', { attempt: retry.attempt, max: retry.max_attempts })}
        </StatusWord>
      ) : null}
      {phase === 'failed' && error !== null ? <StatusWord kind="failed">{error}</StatusWord> : null}
    </div>
  );
}
