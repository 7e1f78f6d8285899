import type { Requirement } from '../graphs/capability.ts';
import type { Avoidance } from './avoidance.ts';
import type { ListPlace } from './ordered-list.ts';

export interface PendingTask {
  id: string;
  owner: string;
  priority: number;
  createdAtMs: number;
  /** That the row stands at: who claims the task makes it one more. */
  attempt: number;
  fingerprint: string;
  requirement: Requirement;
  /** Where it is not given for now. */
  avoids: readonly Avoidance[];
}

/** A task while it waits. */
export interface PendingEntry {
  readonly task: PendingTask;
  /** Of the requirement and of what it avoids: entries with equal keys stand in one group. */
  readonly groupKey: string;
  /** Decides between tasks of the same millisecond. */
  readonly arrival: number;
  /** How often a younger task went first because a worker had it warm. */
  timesPassed: number;
  /** Where it stands in its owner's line, for taking it out. */
  places: LinePlaces | null;
}

export interface LinePlaces {
  all: ListPlace<PendingEntry>;
  graph: ListPlace<PendingEntry>;
  models: ListPlace<PendingEntry> | null;
}

export function isOlder(a: PendingEntry, b: PendingEntry): boolean {
  const [aTime, bTime] = [a.task.createdAtMs, b.task.createdAtMs];
  return aTime === bTime ? a.arrival < b.arrival : aTime < bTime;
}
