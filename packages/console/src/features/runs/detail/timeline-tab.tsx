import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { TimelineSpan } from '../../../kit/timeline/span.ts';
import { TimelineView } from '../../../kit/timeline/timeline-view.tsx';
import { viewFrom, viewText } from '../../../kit/timeline/view-range.ts';
import { setQuery, useQueryState } from '../../../lib/address.ts';
import { previewFilmQuery } from '../../../lib/data/previews.ts';
import { useNow } from '../../../lib/format/use-now.ts';
import { useText } from '../../../lib/i18n.ts';
import type { RunSource } from '../source/run-source.ts';
import { maxShownSpans } from '../source/span-data.ts';
import { outputPictures, previewPictures, type TaskPicture } from './film-pictures.ts';
import { SpanDetail } from './span-detail.tsx';

/** The one time axis, and what belongs to the row that is chosen. Everything that is chosen stands in the address. */
export function TimelineTab({ source }: { source: RunSource }) {
  const text = useText('runs');
  const [selectedId, setSelected] = useQueryState('span');
  const [idle, setIdle] = useQueryState('idle');
  const [zoom, setZoom] = useQueryState('zoom');
  const now = useNow();
  const { spans, raw, isLive, isCut } = source.spanData;
  const endMs = useMemo(
    () => spans.reduce((last, span) => Math.max(last, span.endMs ?? span.startMs), 0),
    [spans],
  );
  const pictures = useFilmPictures(source);
  const selected = spans.find(({ id }) => id === selectedId);
  const view = useMemo(() => viewFrom(zoom), [zoom]);
  return (
    <div className="flex min-w-0 flex-col gap-4 xl:flex-row xl:items-start">
      <div className="min-w-0 flex-1">
        {isCut ? (
          <p className="text-table text-text-2">{text('timeline.cut', { max: maxShownSpans })}</p>
        ) : null}
        <TimelineView
          spans={spans}
          nowMs={isLive ? Math.max(now, endMs) : endMs}
          pictures={pictures}
          onOpenPicture={(id) => setQuery({ span: spanOf(id, pictures, spans) ?? selectedId })}
          selectedId={selectedId}
          onSelect={(id) => setSelected(id)}
          view={view}
          onView={(next) => setZoom(viewText(next))}
          hidesIdle={idle === 'hide'}
          onHidesIdle={(hides) => setIdle(hides ? 'hide' : null)}
        />
      </div>
      {selected ? (
        <SpanDetail
          key={selected.id}
          span={selected}
          raw={raw.get(selected.id)}
          startMs={spans[0]?.startMs ?? selected.startMs}
          source={source}
          onClose={() => setSelected(null)}
        />
      ) : null}
    </div>
  );
}

/** The pictures above the time axis: what was stored, and the previews that this page has seen since it was opened. */
function useFilmPictures({ replayEvents, spanData: { spans }, pictureOf }: RunSource): TaskPicture[] {
  const text = useText('runs');
  const alt = text('timeline.preview');
  const tasks = useMemo(
    () => spans.filter(({ kind, taskId }) => kind === 'task' && taskId !== null),
    [spans],
  );
  const films = useQueries({ queries: tasks.map(({ taskId }) => previewFilmQuery(taskId ?? '')) });
  const outputs = useMemo(
    () => outputPictures(replayEvents, spans, pictureOf),
    [replayEvents, spans, pictureOf],
  );
  const previews = tasks.flatMap((task, place) => previewPictures(task, films[place]?.data ?? [], alt));
  return previews.length === 0 ? outputs : [...previews, ...outputs];
}

/** The span of the task that a picture belongs to. */
function spanOf(
  pictureId: string,
  pictures: readonly TaskPicture[],
  spans: readonly TimelineSpan[],
): string | null {
  const picture = pictures.find(({ id }) => id === pictureId);
  return spans.find(({ kind, taskId }) => kind === 'task' && taskId === picture?.taskId)?.id ?? null;
}
