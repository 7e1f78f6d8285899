/** Returns the nodes of the first cycle found, with the first node repeated at the end; null when there is no cycle. */
export function findCycle(
  nodes: Iterable<string>,
  linksOf: (node: string) => readonly string[],
): string[] | null {
  /** Nodes from which no cycle can be reached. */
  const finished = new Set<string>();
  for (const start of nodes) {
    const cycle = finished.has(start) ? null : cycleFrom(start, { linksOf, finished });
    if (cycle) return cycle;
  }
  return null;
}

interface Search {
  linksOf: (node: string) => readonly string[];
  finished: Set<string>;
}

/** Searches depth first with its own stack: a long chain of nodes must not exhaust the call stack. */
function cycleFrom(start: string, { linksOf, finished }: Search): string[] | null {
  const path: string[] = [start];
  const onPath = new Set(path);
  const openLinks: string[][] = [[...linksOf(start)]];
  while (path.length > 0) {
    const next = openLinks.at(-1)?.pop();
    if (next === undefined) {
      const done = path.pop() ?? '';
      openLinks.pop();
      onPath.delete(done);
      finished.add(done);
    } else if (onPath.has(next)) {
      return [...path.slice(path.indexOf(next)), next];
    } else if (!finished.has(next)) {
      path.push(next);
      onPath.add(next);
      openLinks.push([...linksOf(next)]);
    }
  }
  return null;
}
