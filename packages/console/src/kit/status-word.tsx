import {
  Ban,
  Check,
  Circle,
  CircleDashed,
  CircleDot,
  CirclePause,
  Clock3,
  LoaderCircle,
  type LucideIcon,
  Power,
  TrendingDown,
  TriangleAlert,
  X,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './parts/classes.ts';

export type StatusKind =
  | 'waiting'
  | 'running'
  | 'done'
  | 'failed'
  | 'cancelled'
  | 'paused'
  | 'draining'
  | 'unreachable'
  | 'off'
  | 'idle'
  | 'busy'
  | 'checking';

/** Each kind has a glyph of its own shape, so that the state never depends on its colour. */
const looks: Record<StatusKind, { icon: LucideIcon; colour: string; tint: string }> = {
  waiting: { icon: Clock3, colour: 'text-waiting', tint: 'bg-waiting-tint' },
  running: { icon: LoaderCircle, colour: 'text-running', tint: 'bg-running-tint' },
  done: { icon: Check, colour: 'text-done', tint: 'bg-done-tint' },
  failed: { icon: X, colour: 'text-failed', tint: 'bg-failed-tint' },
  cancelled: { icon: Ban, colour: 'text-off', tint: 'bg-off-tint' },
  paused: { icon: CirclePause, colour: 'text-paused', tint: 'bg-paused-tint' },
  draining: { icon: TrendingDown, colour: 'text-paused', tint: 'bg-paused-tint' },
  unreachable: { icon: TriangleAlert, colour: 'text-failed', tint: 'bg-failed-tint' },
  off: { icon: Power, colour: 'text-off', tint: 'bg-off-tint' },
  idle: { icon: Circle, colour: 'text-done', tint: 'bg-done-tint' },
  busy: { icon: CircleDot, colour: 'text-running', tint: 'bg-running-tint' },
  checking: { icon: CircleDashed, colour: 'text-waiting', tint: 'bg-waiting-tint' },
};

/** The colour of a word that says the state itself. */
export function statusColour(kind: StatusKind): string {
  return looks[kind].colour;
}

/** A state as a glyph and a word. */
export function StatusWord({
  kind,
  tinted,
  children,
}: {
  kind: StatusKind;
  /** With a tinted ground, for a card or a heading; without it in lists. */
  tinted?: boolean | undefined;
  children: ReactNode;
}) {
  const { icon: Icon, colour, tint } = looks[kind];
  return (
    <span
      className={classes(
        'inline-flex items-center gap-1.5 align-top font-medium whitespace-nowrap',
        colour,
        tinted && `${tint} rounded-full px-2 py-0.5`,
      )}
    >
      <Icon
        size={16}
        strokeWidth={1.75}
        aria-hidden
        className={classes(
          'shrink-0',
          kind === 'running' && 'animate-spin [animation-duration:2s] motion-reduce:animate-none',
        )}
      />
      {children}
    </span>
  );
}
