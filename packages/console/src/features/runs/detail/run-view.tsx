import { type ReactNode, useMemo } from 'react';
import { useSearch } from 'wouter';
import { TabLinks } from '../../../kit/tab-links.tsx';
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
import { EventsTab } from './events-tab.tsx';
import { TimelineTab } from './timeline-tab.tsx';

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

/** What was said and done until now. A replay ends in this picture. */
function MessagesTab({ source }: { source: RunSource }) {
  const { replayEvents, spanData, pictureOf } = source;
  const track = useMemo(() => replayTrack(replayEvents, spanData.spans), [replayEvents, spanData.spans]);
  return <RunPicture state={stateAt(track, Number.POSITIVE_INFINITY)} pictureOf={pictureOf} />;
}
