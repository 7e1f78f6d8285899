import { useMemo } from 'react';
import { stateAt } from '../replay/replay-state.ts';
import { replayTrack } from '../replay/replay-track.ts';
import { RunPicture } from '../replay/run-picture.tsx';
import type { RunSource } from '../source/run-source.ts';

/** What was said and done until now. A replay ends in this picture. */
export function MessagesTab({ source }: { source: RunSource }) {
  const { replayEvents, spanData, pictureOf } = source;
  const track = useMemo(() => replayTrack(replayEvents, spanData.spans), [replayEvents, spanData.spans]);
  return <RunPicture state={stateAt(track, Number.POSITIVE_INFINITY)} pictureOf={pictureOf} />;
}
