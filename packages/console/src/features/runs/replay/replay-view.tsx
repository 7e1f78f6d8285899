import { useEffect, useMemo } from 'react';
import { useLocale } from 'use-intl';
import { spanLength } from '../../../kit/timeline/span-length.ts';
import { timeAxis } from '../../../kit/timeline/time-axis.ts';
import { useShortcuts } from '../../../kit/use-shortcuts.ts';
import { useQueryState } from '../../../lib/address.ts';
import { useText } from '../../../lib/i18n.ts';
import type { RunSource } from '../source/run-source.ts';
import { PlayerControls } from './player-controls.tsx';
import { momentsOf, stateAt } from './replay-state.ts';
import { ReplayTimeline } from './replay-timeline.tsx';
import { replayTrack } from './replay-track.ts';
import { RunPicture } from './run-picture.tsx';
import { usePlayer } from './use-player.ts';

/** Plays a run again from what is stored. The place stands in the address while nothing plays. */
export function ReplayView({ source }: { source: RunSource }) {
  const text = useText('runs');
  const locale = useLocale();
  const [at, setAt] = useQueryState('at');
  const { spans } = source.spanData;
  const track = useMemo(() => replayTrack(source.replayEvents, spans), [source.replayEvents, spans]);
  const axis = useMemo(() => timeAxis(spans, { nowMs: track.toMs, hidesIdle: true }), [spans, track]);
  const moments = useMemo(() => momentsOf(track), [track]);
  const [player, act] = usePlayer(axis.at(axis.fromMs + Number(at ?? 0)), { axis, moments });
  const ms = player.place >= 1 ? track.toMs : axis.timeAt(player.place);
  const sinceMs = Math.round(ms - axis.fromMs);
  const address = player.place === 0 ? null : String(sinceMs);
  useEffect(() => {
    if (!player.isPlaying) setAt(address);
  }, [player.isPlaying, address, setAt]);
  useShortcuts({
    ' ': (event) => {
      if (event.target instanceof HTMLButtonElement) return;
      event.preventDefault();
      act({ type: player.isPlaying ? 'pause' : 'play' });
    },
  });
  const passed = spanLength(sinceMs, locale);
  const whole = spanLength(axis.toMs - axis.fromMs, locale);
  return (
    <div className="flex flex-col gap-4">
      <p role="note" className="rounded-card bg-paused-tint px-3 py-2 font-medium text-paused">
        {text('replay.banner')}
      </p>
      {source.isReplayCut ? <p className="text-table text-text-2">{text('replay.cut')}</p> : null}
      <PlayerControls player={player} act={act} passed={passed} whole={whole} />
      <div className="grid min-w-0 gap-6 xl:grid-cols-2">
        <RunPicture state={stateAt(track, ms)} pictureOf={source.pictureOf} />
        <ReplayTimeline
          source={source}
          ms={ms}
          onMoment={(at) => act({ type: 'scrub', place: axis.at(at) })}
        />
      </div>
    </div>
  );
}
