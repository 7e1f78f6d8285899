import type { TimeAxis } from '../../../kit/timeline/time-axis.ts';

export const replaySpeeds = [0.25, 0.5, 1, 2, 4, 8, 16] as const;
export type ReplaySpeed = (typeof replaySpeeds)[number];

/** The position of a replay. The place counts along the axis from 0 to 1, so hidden idle time passes quickly. */
export interface Player {
  place: number;
  isPlaying: boolean;
  speed: ReplaySpeed;
}

export type PlayerAction =
  | { type: 'play' }
  | { type: 'pause' }
  | { type: 'scrub'; place: number }
  | { type: 'speed'; speed: ReplaySpeed }
  | { type: 'step'; direction: 1 | -1 }
  /** Real time has passed, by the caller's clock. */
  | { type: 'tick'; elapsedMs: number };

/** A player for one track: `moments` are ascending times at which something changes. */
export function movePlayer(
  player: Player,
  action: PlayerAction,
  { axis, moments }: { axis: TimeAxis; moments: readonly number[] },
): Player {
  switch (action.type) {
    case 'play':
      return { ...player, isPlaying: true, place: player.place >= 1 ? 0 : player.place };
    case 'pause':
      return { ...player, isPlaying: false };
    case 'scrub':
      return { ...player, place: Math.min(1, Math.max(0, action.place)) };
    case 'speed':
      return { ...player, speed: action.speed };
    case 'step':
      return {
        ...player,
        isPlaying: false,
        place: stepped(player.place, action.direction, { axis, moments }),
      };
    case 'tick': {
      if (!player.isPlaying) return player;
      const place = Math.min(1, player.place + (action.elapsedMs * player.speed) / axis.lengthMs);
      return { ...player, place, isPlaying: place < 1 };
    }
  }
}

function stepped(
  place: number,
  direction: 1 | -1,
  { axis, moments }: { axis: TimeAxis; moments: readonly number[] },
): number {
  // Places are compared, not times: a rounding error must not hold a step at its place.
  const places = moments.map((ms) => axis.at(ms));
  const next =
    direction === 1
      ? places.find((each) => each > place + smallest)
      : places.findLast((each) => each < place - smallest);
  return next ?? (direction === 1 ? 1 : 0);
}

const smallest = 1e-7;
