import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { useLocale } from 'use-intl';
import { Button } from '../../../kit/button.tsx';
import { Select } from '../../../kit/select.tsx';
import { spanLength } from '../../../kit/timeline/span-length.ts';
import { VirtualList } from '../../../kit/virtual-list.tsx';
import { useQueryState } from '../../../lib/address.ts';
import { useText } from '../../../lib/i18n.ts';
import type { RunSource } from '../source/run-source.ts';
import { EventBlock } from './event-block.tsx';
import { eventLine } from './event-text.ts';

const modes = ['compact', 'full', 'raw'] as const;
const rowHeights: Record<(typeof modes)[number], number> = { compact: 32, full: 120, raw: 240 };

/** Everything that is stored of a run, by seq. Only the visible part is in the page. */
export function EventsTab({ source }: { source: RunSource }) {
  const text = useText('runs');
  const [asked, setMode] = useQueryState('mode');
  const mode = modes.find((each) => each === asked) ?? 'compact';
  const { events, hasMore, isLoading, loadMore } = source.eventPages;
  const startMs = Date.parse(source.run.created_at);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Select
          label={text('events.mode')}
          value={mode}
          options={modes.map((value) => ({ value, label: text(`events.${value}`) }))}
          onChange={(next) => setMode(next === 'compact' ? null : next)}
        />
        <span className="text-table text-text-2">
          {text(hasMore ? 'events.countMore' : 'events.count', { count: events.length })}
        </span>
      </div>
      <VirtualList
        key={mode}
        rows={events}
        rowKey={({ seq }) => String(seq)}
        rowHeight={rowHeights[mode]}
        label={text('events.label')}
      >
        {(event) =>
          mode === 'compact' ? (
            <CompactEvent event={event} startMs={startMs} />
          ) : (
            <EventBlock event={event} startMs={startMs} isRaw={mode === 'raw'} />
          )
        }
      </VirtualList>
      {hasMore ? (
        <div>
          <Button onClick={loadMore} isBusy={isLoading}>
            {text('events.more')}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

function CompactEvent({ event, startMs }: { event: RunEvent; startMs: number }) {
  const locale = useLocale();
  return (
    <div className="grid grid-cols-[3rem_5rem_minmax(0,1fr)] items-center gap-x-3 border-b border-border py-1.5 text-table sm:h-8 sm:grid-cols-[3rem_5rem_minmax(7rem,12rem)_minmax(0,1fr)] sm:py-0">
      <span className="text-right text-text-2 tabular-nums">{event.seq}</span>
      <span className="text-right text-text-2 tabular-nums">
        {spanLength(Date.parse(event.created_at) - startMs, locale)}
      </span>
      <span className="truncate">{event.event_type}</span>
      <span className="truncate text-text-2 max-sm:col-start-3">{eventLine(event)}</span>
    </div>
  );
}
