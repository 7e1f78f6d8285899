import { Pause, Play, SkipBack, SkipForward } from 'lucide-react';
import { useEffect, useMemo, useReducer, useState } from 'react';
import { useLocale } from 'use-intl';
import { Button, IconButton } from '../../../kit/button.tsx';
import { Select } from '../../../kit/select.tsx';
import { spanLength } from '../../../kit/timeline/span-length.ts';
import { type TimeAxis, timeAxis } from '../../../kit/timeline/time-axis.ts';
import { TimelineView } from '../../../kit/timeline/timeline-view.tsx';
import { type ViewRange, wholeView } from '../../../kit/timeline/view-range.ts';
import { useShortcuts } from '../../../kit/use-shortcuts.ts';
import { useQueryState } from '../../../lib/address.ts';
import { useText } from '../../../lib/i18n.ts';
import type { RunSource } from '../source/run-source.ts';
import { movePlayer, type Player, type PlayerAction, replaySpeeds } from './replay-player.ts';
import { momentsOf, stateAt } from './replay-state.ts';
import { replayTrack } from './replay-track.ts';
import { RunPicture } from './run-picture.tsx';

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;
const scrubSteps = 1_000;

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

/** A player that moves on once per animation frame while it plays. */
function usePlayer(
  start: number,
  around: { axis: TimeAxis; moments: readonly number[] },
): [Player, (action: PlayerAction) => void] {
  const [player, act] = useReducer(
    (state: Player, action: PlayerAction) => movePlayer(state, action, around),
    { place: start, isPlaying: false, speed: 1 },
  );
  const { isPlaying } = player;
  useEffect(() => {
    if (!isPlaying) return;
    let lastMs = performance.now();
    let frame = requestAnimationFrame(function tick(nowMs) {
      act({ type: 'tick', elapsedMs: Math.max(0, nowMs - lastMs) });
      lastMs = nowMs;
      frame = requestAnimationFrame(tick);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying]);
  return [player, act];
}

/** The bars beside the picture, with the place of the replay. */
function ReplayTimeline({
  source,
  ms,
  onMoment,
}: {
  source: RunSource;
  ms: number;
  /** A row was chosen: the replay goes to its beginning. */
  onMoment: (ms: number) => void;
}) {
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

function PlayerControls({
  player,
  act,
  passed,
  whole,
}: {
  player: Player;
  act: (action: PlayerAction) => void;
  /** The time that has passed and the whole length, as texts. */
  passed: string;
  whole: string;
}) {
  const text = useText('runs');
  const Glyph = player.isPlaying ? Pause : Play;
  return (
    <div className="sticky top-(--bar) z-15 short:static flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-border bg-bg py-2">
      <Button
        variant="solid"
        icon={<Glyph {...icon} />}
        onClick={() => act({ type: player.isPlaying ? 'pause' : 'play' })}
      >
        {text(player.isPlaying ? 'replay.pause' : 'replay.play')}
      </Button>
      <IconButton
        label={text('replay.back')}
        icon={<SkipBack {...icon} />}
        disabled={player.place === 0}
        onClick={() => act({ type: 'step', direction: -1 })}
      />
      <IconButton
        label={text('replay.forward')}
        icon={<SkipForward {...icon} />}
        disabled={player.place === 1}
        onClick={() => act({ type: 'step', direction: 1 })}
      />
      <input
        type="range"
        min={0}
        max={scrubSteps}
        step={1}
        value={Math.round(player.place * scrubSteps)}
        aria-label={text('replay.position')}
        aria-valuetext={text('replay.of', { passed, whole })}
        onChange={({ target }) => act({ type: 'scrub', place: Number(target.value) / scrubSteps })}
        className="h-8 min-w-32 flex-1 cursor-pointer accent-accent outline-accent focus-visible:outline-2"
      />
      <span className="text-table text-text-2 tabular-nums">{text('replay.of', { passed, whole })}</span>
      <Select
        label={text('replay.speed')}
        value={String(player.speed)}
        options={replaySpeeds.map((speed) => ({ value: String(speed), label: `${speed}×` }))}
        onChange={(value) => {
          const speed = replaySpeeds.find((each) => String(each) === value);
          if (speed !== undefined) act({ type: 'speed', speed });
        }}
      />
    </div>
  );
}
