import type { QueuePlace } from '../dispatch-events.ts';
import type { Avoidance } from './avoidance.ts';

export interface PendingTask extends QueuePlace {
  /** The instances that it is not given to for now. */
  avoids: readonly Avoidance[];
}

/** A task while it waits. */
export interface PendingEntry {
  readonly task: PendingTask;
  /** Made from the requirement and the avoidances: entries with equal keys stand in one group. */
  readonly groupKey: string;
  /** Decides between tasks of the same millisecond. */
  readonly arrival: number;
  /** The number of times that a younger task went first because its models were loaded on a worker. */
  timesPassed: number;
}

/** The order inside the line of one owner: what was moved to the front goes first, the last moved before all. */
export function goesBefore(a: PendingEntry, b: PendingEntry): boolean {
  const [aFront, bFront] = [a.task.frontMs ?? 0, b.task.frontMs ?? 0];
  return aFront === bFront ? isOlder(a, b) : aFront > bFront;
}

/** Decides between owners whose turn it is: what an owner has moved to the front does not count there. */
export function isOlder(a: PendingEntry, b: PendingEntry): boolean {
  const [aTime, bTime] = [a.task.createdAtMs, b.task.createdAtMs];
  return aTime === bTime ? a.arrival < b.arrival : aTime < bTime;
}
