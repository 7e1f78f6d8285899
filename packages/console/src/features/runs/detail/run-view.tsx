import { useMemo } from 'react';
import { useSearch } from 'wouter';
import { TabLinks } from '../../../kit/tab-links.tsx';
import { useText } from '../../../lib/i18n.ts';
import { stateAt } from '../replay/replay-state.ts';
import { replayTrack } from '../replay/replay-track.ts';
import { ReplayView } from '../replay/replay-view.tsx';
import { RunPicture } from '../replay/run-picture.tsx';
import type { RunSource } from '../source/run-source.ts';
import { EventsTab } from './events-tab.tsx';
import { RunHeader } from './run-header.tsx';
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

/** What was said and done until now. A replay ends in this picture. */
function MessagesTab({ source }: { source: RunSource }) {
  const { replayEvents, spanData, pictureOf } = source;
  const track = useMemo(() => replayTrack(replayEvents, spanData.spans), [replayEvents, spanData.spans]);
  return <RunPicture state={stateAt(track, Number.POSITIVE_INFINITY)} pictureOf={pictureOf} />;
}
