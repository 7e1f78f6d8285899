import type { Finding } from './finding.ts';
import { resolveImport } from './layers.ts';
import type { SourceFile } from './source-file.ts';

/** Every import counts, type imports too: two files that need each other's types are one thing cut in two. */
export function findCycles(files: readonly SourceFile[]): Finding[] {
  const graph = importGraph(files);
  const reported = new Set<string>();
  const findings: Finding[] = [];
  for (const start of graph.keys()) {
    if (reported.has(start)) continue;
    const cycle = shortestCycle(graph, start);
    if (cycle === undefined) continue;
    for (const path of cycle) reported.add(path);
    findings.push({
      file: start,
      line: lineOfImport(files, start, cycle[1] ?? start),
      rule: 'no-cycles',
      found: [...cycle, start].join(' → '),
      fix: 'move what both files need into a third file that imports neither',
    });
  }
  return findings;
}

type Graph = Map<string, string[]>;

function importGraph(files: readonly SourceFile[]): Graph {
  const known = new Set(files.map((file) => file.path));
  return new Map(
    files.map((file) => {
      const targets = file.imports.map(({ specifier }) => resolveImport(file.path, specifier));
      return [file.path, targets.filter((path) => path !== undefined && known.has(path)) as string[]];
    }),
  );
}

/** Breadth first from `start` until an import leads back to it; the files on the way, `start` first. */
function shortestCycle(graph: Graph, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const path of queue) {
    for (const target of graph.get(path) ?? []) {
      if (target === start) return wayTo(path, cameFrom);
      if (cameFrom.has(target)) continue;
      cameFrom.set(target, path);
      queue.push(target);
    }
  }
  return undefined;
}

function wayTo(end: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way = [end];
  for (let step = cameFrom.get(end); step !== undefined; step = cameFrom.get(step)) way.unshift(step);
  return way;
}

function lineOfImport(files: readonly SourceFile[], from: string, to: string): number {
  const file = files.find(({ path }) => path === from);
  return file?.imports.find(({ specifier }) => resolveImport(from, specifier) === to)?.line ?? 0;
}
