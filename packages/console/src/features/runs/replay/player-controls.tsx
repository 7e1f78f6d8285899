import { Pause, Play, SkipBack, SkipForward } from 'lucide-react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { Select } from '../../../kit/select.tsx';
import { useText } from '../../../lib/i18n.ts';
import { type Player, type PlayerAction, replaySpeeds } from './replay-player.ts';

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;
const scrubSteps = 1_000;

export function PlayerControls({
  player,
  act,
  passed,
  whole,
}: {
  player: Player;
  act: (action: PlayerAction) => void;
  /** How far it is, and how long it is in all, as texts. */
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
        className="h-8 min-w-32 flex-1 cursor-pointer accent-(--accent-solid) outline-accent focus-visible:outline-2"
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
