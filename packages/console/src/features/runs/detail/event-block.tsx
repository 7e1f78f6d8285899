import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { useLocale } from 'use-intl';
import { LongText } from '../../../kit/long-text.tsx';
import { spanLength } from '../../../kit/timeline/span-length.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';
import { bytesBeforeCut, eventBody } from './event-text.ts';

/** An event with its whole content. */
export function EventBlock({
  event,
  startMs,
  isRaw = false,
}: {
  event: RunEvent;
  startMs: number;
  /** The event as it is stored. */
  isRaw?: boolean;
}) {
  const text = useText('runs');
  const format = useFormat();
  const locale = useLocale();
  const cutBytes = bytesBeforeCut(event);
  return (
    <article className="flex min-w-0 flex-col gap-1 border-t border-border py-2">
      <header className="flex flex-wrap gap-x-3 text-table">
        <span className="text-text-2 tabular-nums">{event.seq}</span>
        <span className="font-medium">{event.event_type}</span>
        <span className="text-text-2 tabular-nums">
          {spanLength(Date.parse(event.created_at) - startMs, locale)}
        </span>
      </header>
      <LongText mono text={isRaw ? JSON.stringify(event, null, 2) : eventBody(event)} />
      {cutBytes === null ? null : (
        <p className="text-meta text-text-2">{text('events.truncated', { size: format.bytes(cutBytes) })}</p>
      )}
    </article>
  );
}
