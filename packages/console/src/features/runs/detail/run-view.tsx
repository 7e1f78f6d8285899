import { useSearch } from 'wouter';
import { TabLinks } from '../../../kit/tab-links.tsx';
import { useText } from '../../../lib/i18n.ts';
import { ReplayView } from '../replay/replay-view.tsx';
import type { RunSource } from '../source/run-source.ts';
import { EventsTab } from './events-tab.tsx';
import { MessagesTab } from './messages-tab.tsx';
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
