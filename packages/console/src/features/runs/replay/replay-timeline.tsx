import { useState } from 'react';
import { TimelineView } from '../../../kit/timeline/timeline-view.tsx';
import { type ViewRange, wholeView } from '../../../kit/timeline/view-range.ts';
import type { RunSource } from '../source/run-source.ts';

interface ReplayTimelineProps {
  source: RunSource;
  ms: number;
  /** A row was chosen: the replay goes to its beginning. */
  onMoment: (ms: number) => void;
}

/** The bars beside the picture, with the place of the replay. */
export function ReplayTimeline({ source, ms, onMoment }: ReplayTimelineProps) {
  const [view, setView] = useState<ViewRange>(wholeView);
  const [hidesIdle, setHidesIdle] = useState(true);
  const { spans } = source.spanData;
  const endMs = spans.reduce((last, span) => Math.max(last, span.endMs ?? span.startMs), 0);
  const goTo = (id: string | null): void => {
    const span = spans.find((each) => each.id === id);
    if (span) onMoment(span.startMs);
  };
  return (
    <TimelineView
      spans={spans}
      nowMs={endMs}
      selectedId={null}
      onSelect={goTo}
      view={view}
      onView={setView}
      hidesIdle={hidesIdle}
      onHidesIdle={setHidesIdle}
      playheadMs={ms}
    />
  );
}
