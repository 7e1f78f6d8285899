import type { RunSpan } from '@switchyard/contract/conversation/timeline';
import { X } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { useLocale } from 'use-intl';
import { IconButton, LinkButton } from '../../../kit/button.tsx';
import { LongText } from '../../../kit/long-text.tsx';
import { endOf, type TimelineSpan } from '../../../kit/timeline/span.ts';
import { spanLength } from '../../../kit/timeline/span-length.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';
import type { RunSource } from '../source/run-source.ts';
import { EventBlock } from './event-block.tsx';
import { eventsOf } from './span-events.ts';

/** The stored facts about one row of the timeline. */
export function SpanDetail({
  span,
  raw,
  startMs,
  source,
  onClose,
}: {
  span: TimelineSpan;
  raw: RunSpan | undefined;
  /** The beginning of the run. */
  startMs: number;
  source: RunSource;
  onClose: () => void;
}) {
  const text = useText('runs');
  const timeline = useText('timeline');
  const { eventPages, isFile } = source;
  const events = useMemo(() => eventsOf(span, eventPages.events), [span, eventPages.events]);
  useEnoughEvents(source, span);
  return (
    <section
      aria-label={text('span.label')}
      className="flex w-full min-w-0 flex-col gap-3 border-t border-border pt-3 xl:sticky xl:top-[calc(var(--bar)+1rem)] xl:max-h-[calc(100vh-var(--bar)-2rem)] xl:w-96 xl:shrink-0 xl:overflow-y-auto xl:border-t-0 xl:border-l xl:pt-0 xl:pl-4"
    >
      <header className="flex items-start justify-between gap-2">
        <h2 className="min-w-0 text-lead font-medium break-words">
          <span className="text-text-2">{timeline(`kind.${span.kind}`)}</span> {span.name}
        </h2>
        <IconButton label={text('span.close')} icon={<X size={16} aria-hidden />} onClick={onClose} />
      </header>
      <SpanFacts span={span} startMs={startMs} />
      {span.taskId !== null && !isFile ? (
        <div>
          <LinkButton size="s" href={`/tasks/${encodeURIComponent(span.taskId)}`}>
            {text('span.openTask')}
          </LinkButton>
        </div>
      ) : null}
      {events.map((event) => (
        <EventBlock key={event.seq} event={event} startMs={startMs} />
      ))}
      <details>
        <summary className="w-fit cursor-pointer text-table text-text-2 outline-accent focus-visible:outline-2">
          {text('span.raw')}
        </summary>
        <LongText mono text={JSON.stringify(raw ?? span, null, 2)} />
      </details>
    </section>
  );
}

function SpanFacts({ span, startMs }: { span: TimelineSpan; startMs: number }) {
  const text = useText('runs');
  const timeline = useText('timeline');
  const format = useFormat();
  const locale = useLocale();
  const { tokens, cost, currency, workerSeconds, simulated, attempt, instanceName } = span;
  return (
    <Facts
      facts={[
        [text('span.state'), timeline(`state.${span.state}`)],
        [text('span.start'), spanLength(span.startMs - startMs, locale)],
        [timeline('length'), span.endMs === null ? '' : spanLength(endOf(span, 0) - span.startMs, locale)],
        [text('span.attempt'), attempt === null ? '' : String(attempt)],
        [text('span.worker'), instanceName ?? ''],
        [
          text('totals.tokens'),
          tokens
            ? text('totals.inOut', { input: format.count(tokens.input), output: format.count(tokens.output) })
            : '',
        ],
        [text('span.cached'), tokens && tokens.cache_read > 0 ? format.count(tokens.cache_read) : ''],
        [text('totals.cost'), tokens || workerSeconds !== null ? format.money(cost, currency) : ''],
        [text('totals.worker'), workerSeconds === null ? '' : spanLength(workerSeconds * 1_000, locale)],
        [text('span.by'), simulated ? text('simulated') : ''],
      ]}
    />
  );
}

/** Loads pages until they reach the end of the span. */
function useEnoughEvents({ eventPages }: RunSource, { endMs }: TimelineSpan): void {
  const { events, hasMore, isLoading, loadMore } = eventPages;
  const lastMs = Date.parse(events.at(-1)?.created_at ?? '');
  const isShort = hasMore && !isLoading && !(lastMs > (endMs ?? Number.POSITIVE_INFINITY));
  useEffect(() => {
    if (isShort) loadMore();
  }, [isShort, loadMore]);
}

/** Names and values; what is empty is left out. */
function Facts({ facts }: { facts: readonly (readonly [string, string])[] }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-table">
      {facts
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-text-2">{name}</dt>
            <dd className="min-w-0 break-words tabular-nums">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
