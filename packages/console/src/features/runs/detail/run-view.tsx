import { useQueries } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useSearch } from 'wouter';
import { TabLinks } from '../../../kit/tab-links.tsx';
import type { TimelineSpan } from '../../../kit/timeline/span.ts';
import { TimelineView } from '../../../kit/timeline/timeline-view.tsx';
import { viewFrom, viewText } from '../../../kit/timeline/view-range.ts';
import { setQuery, useQueryState } from '../../../lib/address.ts';
import { previewFilmQuery } from '../../../lib/data/previews.ts';
import { blank } from '../../../lib/format/format.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useNow } from '../../../lib/format/use-now.ts';
import { useText } from '../../../lib/i18n.ts';
import { stateAt } from '../replay/replay-state.ts';
import { replayTrack } from '../replay/replay-track.ts';
import { ReplayView } from '../replay/replay-view.tsx';
import { RunPicture } from '../replay/run-picture.tsx';
import { RunStatusWord } from '../run-status.tsx';
import { totalsOf } from '../run-totals.ts';
import type { RunSource } from '../source/run-source.ts';
import { maxShownSpans } from '../source/span-data.ts';
import { EventsTab } from './events-tab.tsx';
import { outputPictures, previewPictures, type TaskPicture } from './film-pictures.ts';
import { SpanDetail } from './span-detail.tsx';

const views = ['timeline', 'events', 'messages', 'replay'] as const;

/** A run of the gateway or of a file: its totals, and four views of it. */
export function RunView({ source, path }: { source: RunSource; path: string }) {
  const text = useText('runs');
  const asked = new URLSearchParams(useSearch()).get('view');
  const view = views.find((each) => each === asked) ?? 'timeline';
  return (
    <>
      <RunHeader source={source} />
      <TabLinks
        label={text('view.label')}
        tabs={views.map((each) => ({
          label: text(`view.${each}`),
          href: each === 'timeline' ? path : `${path}?view=${each}`,
          current: each === view,
        }))}
      />
      {view === 'timeline' ? <TimelineTab source={source} /> : null}
      {view === 'events' ? <EventsTab source={source} /> : null}
      {view === 'messages' ? <MessagesTab source={source} /> : null}
      {view === 'replay' ? <ReplayView source={source} /> : null}
    </>
  );
}

/** The state of the run and its numbers. Waiting stands apart from work. */
function RunHeader({ source: { run, spanData } }: { source: RunSource }) {
  const text = useText('runs');
  const format = useFormat();
  const now = useNow();
  const totals = totalsOf(run, spanData.spans, now);
  const { inputTokens, outputTokens, isSimulated, tasks } = totals;
  const tokens = text('totals.inOut', {
    input: format.count(inputTokens),
    output: format.count(outputTokens),
  });
  return (
    <div className="flex flex-col gap-3">
      <dl className="flex flex-wrap gap-x-8 gap-y-3 border-y border-border py-3">
        <Total name={text('totals.status')}>
          <RunStatusWord status={run.status} />
        </Total>
        <Total name={text('totals.waited')}>{format.duration(totals.queueMs)}</Total>
        <Total name={text('totals.ran')}>
          {totals.workMs === null ? blank : format.duration(totals.workMs)}
        </Total>
        <Total name={text('totals.tokens')} note={isSimulated ? text('simulated') : null}>
          {tokens}
        </Total>
        <Total name={text('totals.cost')}>{format.money(totals.cost, totals.currency)}</Total>
        {tasks === 0 ? null : (
          <>
            <Total name={text('totals.tasks')}>{format.count(tasks)}</Total>
            <Total name={text('totals.worker')}>{format.duration(totals.workerSeconds * 1_000)}</Total>
            <Total name={text('totals.workerCost')}>
              {format.money(totals.workerCost, totals.workerCurrency)}
            </Total>
          </>
        )}
      </dl>
      {run.error === null ? null : (
        <p className="max-w-[68ch] rounded-card bg-failed-tint p-3 break-words text-failed">{run.error}</p>
      )}
    </div>
  );
}

function Total({ name, note, children }: { name: string; note?: string | null; children: ReactNode }) {
  return (
    <div>
      <dt className="text-meta text-text-2">{name}</dt>
      <dd className="text-body font-medium tabular-nums">
        {children}
        {note ? <span className="ml-1 text-meta font-normal text-text-2">{note}</span> : null}
      </dd>
    </div>
  );
}

/** The messages and actions of the run until now. A replay ends in the same picture. */
function MessagesTab({ source }: { source: RunSource }) {
  const { replayEvents, spanData, pictureOf } = source;
  const track = useMemo(() => replayTrack(replayEvents, spanData.spans), [replayEvents, spanData.spans]);
  return <RunPicture state={stateAt(track, Number.POSITIVE_INFINITY)} pictureOf={pictureOf} />;
}

/** The time axis, and the details of the chosen row. The address has every choice. */
function TimelineTab({ source }: { source: RunSource }) {
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
