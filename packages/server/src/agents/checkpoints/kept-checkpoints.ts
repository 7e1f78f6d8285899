import type { CheckpointOutline } from './checkpointed-thread-store.ts';
import { byNamespace } from './namespaces.ts';

export interface PrunePolicy {
  /** The number of newest checkpoints that stay in each namespace. */
  keepLatest: number;
}

/** Returns the checkpoints that stay when a thread is pruned. They are given with the newest first in each namespace. */
export function keptCheckpoints(
  outlines: readonly CheckpointOutline[],
  { keepLatest }: PrunePolicy,
): Set<CheckpointOutline> {
  const kept = new Set<CheckpointOutline>();
  for (const ofNamespace of byNamespace(outlines).values()) {
    for (const outline of ofNamespace.slice(0, keepLatest)) kept.add(outline);
    const byId = new Map(ofNamespace.map((outline) => [outline.id, outline]));
    for (const outline of ofNamespace.slice(0, keepLatest)) {
      for (const ancestor of ancestorsNeeded(outline, byId)) kept.add(ancestor);
    }
  }
  return kept;
}

/**
 * A channel may store only its changes. Its value is then put together from the writes to the ancestors since it was last stored
 * whole. LangGraph notes in the metadata how many steps ago that was.
 */
function* ancestorsNeeded(
  { parentId, metadata }: CheckpointOutline,
  byId: ReadonlyMap<string, CheckpointOutline>,
): Generator<CheckpointOutline> {
  const { counters_since_delta_snapshot: counters = {} } = JSON.parse(metadata) as {
    counters_since_delta_snapshot?: Record<string, [updates: number, steps: number]>;
  };
  const steps = Math.max(0, ...Object.values(counters).map(([, count]) => count));
  let next = parentId;
  for (let step = 0; step < steps && next !== null; step += 1) {
    const ancestor = byId.get(next);
    if (!ancestor) return;
    yield ancestor;
    next = ancestor.parentId;
  }
}
