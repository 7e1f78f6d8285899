import type { StatefulThread } from '../../agents/state/graph-state.ts';
import type { WireState } from '../../agents/state/wire-state.ts';
import type { SavedStates } from '../threads/saved-states.ts';

/** At most this many saved states are looked at; the states of one turn are a few. */
const maxStates = 1_000;

/**
 * A state of a thread, the newest one unless it is given, and those that led to it, the newest first. States of other branches
 * are left out.
 */
export async function* lineageOf(
  states: Pick<SavedStates, 'pastStates'>,
  thread: StatefulThread,
  from?: string,
): AsyncGenerator<WireState> {
  let wanted = from;
  for await (const state of states.pastStates(thread, { limit: maxStates })) {
    const id = state.checkpoint?.checkpoint_id;
    if (id === undefined || (wanted !== undefined && id !== wanted)) continue;
    yield state;
    if (!state.parent_checkpoint) return;
    wanted = state.parent_checkpoint.checkpoint_id;
  }
}

/** Nothing of it is left to do. */
export function isAtRest({ next, tasks }: WireState): boolean {
  return next.length === 0 && tasks.length === 0;
}

/** The first state of a thread: it holds nothing, and waits for the input of the first run. */
export function isBeginning({ next, parent_checkpoint: parent }: WireState): boolean {
  return parent === null && next.includes('__start__');
}
