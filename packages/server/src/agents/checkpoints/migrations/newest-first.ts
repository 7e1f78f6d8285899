interface Follower {
  namespace: string;
  id: string;
  parentId: string | null;
}

/**
 * Returns the checkpoints of each namespace in the order of their ids, the highest first, but none before one that follows it. Ids
 * come from the clocks of machines, so one that follows another may have the lower id.
 */
export function newestFirst<Checkpoint extends Follower>(outlines: readonly Checkpoint[]): Checkpoint[] {
  const followers = followersIn(outlines);
  const entered = new Set<Checkpoint>();
  const ordered: Checkpoint[] = [];
  for (const outline of outlines) {
    if (entered.has(outline)) continue;
    entered.add(outline);
    // Without recursion, since a thread may have thousands of checkpoints.
    const path = [outline];
    for (let last = path.at(-1); last; last = path.at(-1)) {
      const follower = followers.get(keyOf(last, last.id))?.find((each) => !entered.has(each));
      if (follower) {
        entered.add(follower);
        path.push(follower);
      } else ordered.push(...path.splice(-1));
    }
  }
  return ordered;
}

/** Returns what follows each checkpoint that is there, by its key. */
function followersIn<Checkpoint extends Follower>(
  outlines: readonly Checkpoint[],
): ReadonlyMap<string, Checkpoint[]> {
  const present = new Set(outlines.map((outline) => keyOf(outline, outline.id)));
  const followers = new Map<string, Checkpoint[]>();
  for (const outline of outlines) {
    if (outline.parentId === null || outline.parentId === outline.id) continue;
    const key = keyOf(outline, outline.parentId);
    if (present.has(key)) followers.set(key, [...(followers.get(key) ?? []), outline]);
  }
  return followers;
}

function keyOf({ namespace }: Follower, id: string): string {
  return `${namespace} ${id}`;
}
