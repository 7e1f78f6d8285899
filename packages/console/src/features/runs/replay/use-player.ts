import { useEffect, useReducer } from 'react';
import type { TimeAxis } from '../../../kit/timeline/time-axis.ts';
import { movePlayer, type Player, type PlayerAction } from './replay-player.ts';

/** A player that moves on once per animation frame while it plays. */
export function usePlayer(
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
