import type { Graph } from './graph.ts';
import { isLink } from './graph.ts';

/** The first cycle met, as its node ids with the first repeated at the end; null when there is none. */
export function findCycle(graph: Graph): string[] | null {
  const finished = new Set<string>();
  for (const start of Object.keys(graph)) {
    const cycle = finished.has(start) ? null : cycleFrom(start, { graph, finished });
    if (cycle) return cycle;
  }
  return null;
}

interface Search {
  graph: Graph;
  /** Nodes from which no cycle can be reached. */
  finished: Set<string>;
}

/** Depth first with a stack of its own: a long chain of nodes must not exhaust the call stack. */
function cycleFrom(start: string, { graph, finished }: Search): string[] | null {
  const path: string[] = [start];
  const onPath = new Set(path);
  const openLinks: string[][] = [linksOf(graph, start)];
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
      openLinks.push(linksOf(graph, next));
    }
  }
  return null;
}

function linksOf(graph: Graph, id: string): string[] {
  return Object.values(graph[id]?.inputs ?? {}).flatMap((value) => (isLink(value) ? [value[0]] : []));
}
