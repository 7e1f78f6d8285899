import { join } from 'node:path';

const lists = /node_modules.*[\\/](index|lucide-react)\.m?js$/;
const packages = /node_modules[\\/]/;
const icons = /node_modules[\\/]lucide-react[\\/]/;

interface ModuleGraph {
  getModuleInfo: (id: string) => { importedIds: readonly string[] } | null;
}

/**
 * The files that every visit loads: the first script, what asks the gateway, the renderer, and the frame around the pages; then what the
 * first page and others share, and what other pages share. Left alone, the bundler makes a file of each handful of lines that two pages
 * share, and a page asks for fifty of them.
 */
export function chunkGroups(app: string) {
  const [queries, frame] = [join(app, 'start-queries.ts'), join(app, 'show-console.tsx')];
  const firstPage = join(app, '../features/overview/overview-page.tsx');
  return [
    { name: 'begin', tags: ['$initial' as const], priority: 6 },
    { name: 'renderer', test: /node_modules[\\/](react-dom|scheduler)[\\/]/, priority: 5 },
    { name: 'icons', test: icons, minShareCount: 2, priority: 5 },
    reachedGroup('queries', { entry: queries, priority: 4 }),
    reachedGroup('frame', { entry: frame, priority: 3 }),
    { ...reachedGroup('first', { entry: firstPage, priority: 2 }), minShareCount: 2 },
    partsGroup('parts', { early: [queries, frame, firstPage], priority: 1 }),
  ];
}

/** The file of an entry and of everything that it needs at once. */
function reachedGroup(debugName: string, { entry, priority }: { entry: string; priority: number }) {
  let modules: Set<string> | undefined;
  return {
    debugName,
    name: (id: string, graph: ModuleGraph) => {
      modules ??= reachedFrom(entry, graph);
      return modules.has(id) ? debugName : null;
    },
    priority,
  };
}

/** With fewer pages, a page loads more of what only others need; with more, it asks for more files. */
const minShared = 4;

/** What several pages share and needs no package but those that every visit loads: a large one stays with the pages that need it. */
function partsGroup(debugName: string, { early, priority }: { early: readonly string[]; priority: number }) {
  let loaded: Set<string> | undefined;
  const needsMore = (id: string, graph: ModuleGraph, seen = new Set<string>()): boolean => {
    if (seen.has(id) || loaded?.has(id) || icons.test(id)) return false;
    seen.add(id);
    return packages.test(id) || importsOf(id, graph).some((each) => needsMore(each, graph, seen));
  };
  return {
    debugName,
    name: (id: string, graph: ModuleGraph) => {
      loaded ??= new Set(
        early
          .flatMap((entry) => [...reachedFrom(entry, graph)])
          .flatMap((each) => [each, ...importsOf(each, graph)]),
      );
      return needsMore(id, graph) ? null : debugName;
    },
    minShareCount: minShared,
    priority,
  };
}

function importsOf(id: string, graph: ModuleGraph): readonly string[] {
  return graph.getModuleInfo(id)?.importedIds ?? [];
}

/** The module and everything that it imports, without what it loads later. */
function reachedFrom(entry: string, graph: ModuleGraph): Set<string> {
  const reached = new Set<string>();
  const waiting = [entry];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (reached.has(id)) continue;
    // Such a file names everything that a library has, and the page needs little of it.
    if (lists.test(id)) continue;
    reached.add(id);
    waiting.push(...importsOf(id, graph));
  }
  return reached;
}
