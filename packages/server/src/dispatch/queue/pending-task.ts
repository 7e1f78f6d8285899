import type { Requirement } from '../graphs/capability.ts';
import type { QueuedTask } from '../tasks/task-store.ts';
import type { Avoidance } from './avoidance.ts';
import type { PendingTask } from './pending-entry.ts';

export function pendingOf(
  row: QueuedTask,
  requirement: Requirement,
  avoids: readonly Avoidance[] = [],
): PendingTask {
  return {
    id: row.id,
    owner: row.owner,
    priority: row.priority,
    createdAtMs: Date.parse(row.createdAt),
    frontMs: row.frontAt === null ? null : Date.parse(row.frontAt),
    attempt: row.attempt,
    fingerprint: row.fingerprint,
    requirement,
    avoids,
  };
}
