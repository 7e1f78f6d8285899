import type { ArrivingCheckpoint, CheckpointTable } from './tables.ts';

/*
 * The order of the checkpoints of a namespace is that of their places, which is the order in which they were written.
 *
 * LangGraph makes the ids of checkpoints by the clock of the machine. While clocks are right each id is higher than those before
 * it, so the id itself is the place and the column is null. A checkpoint that comes with a lower id, because a clock was set or
 * another machine has written before, gets a place behind the last one: the highest id of the namespace, `+` and a number.
 */

/** The place of a checkpoint that is in memory. */
export function placeOf({ place, checkpoint_id }: Pick<CheckpointTable, 'place' | 'checkpoint_id'>): string {
  return place ?? checkpoint_id;
}

/** Tells each row what comes before it in the same unit, which the statement that stores them all cannot see. */
export function inOrder(
  rows: readonly Omit<ArrivingCheckpoint, 'number' | 'before'>[],
): ArrivingCheckpoint[] {
  const highest = new Map<string, string>();
  return rows.map((row, index) => {
    const before = highest.get(row.checkpoint_ns) ?? '';
    if (row.checkpoint_id > before) highest.set(row.checkpoint_ns, row.checkpoint_id);
    return { ...row, number: index + 1, before };
  });
}
