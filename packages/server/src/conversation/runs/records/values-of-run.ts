import type { GraphStates } from '../../../agents/state/graph-state.ts';
import { viewOf } from '../../../agents/state/wire-state.ts';
import type { RunRow } from '../../tables.ts';
import { failureOf, valuesOf } from './run.ts';

/** Returns the values with which a run ended. When the run made none or they are gone, it returns the thread's current values. */
export async function valuesOfRun(
  states: Pick<GraphStates, 'current'>,
  run: RunRow,
): Promise<Record<string, unknown>> {
  const thread = { threadId: run.thread_id, graphId: run.graph_id, userId: run.user_id };
  const checkpoint = run.checkpoint_id === null ? undefined : { checkpoint_id: run.checkpoint_id };
  const state =
    (checkpoint && (await states.current(thread, { checkpoint }))) ?? (await states.current(thread));
  return valuesOf(state ? viewOf(state) : undefined, failureOf(run));
}
