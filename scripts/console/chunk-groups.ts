import { join } from 'node:path';

const lists = /node_modules.*[\\/](index|lucide-react)\.m?js$/;
const icons = /node_modules[\\/]lucide-react[\\/]/;

interface ModuleGraph {
  getModuleInfo: (id: string) => { importedIds: readonly string[] } | null;
}

/**
 * The files that every visit loads: the first script, what asks the gateway, the renderer, and the frame around the pages. Left
 * alone, the bundler makes a file of each handful of lines that two pages share.
 */
export function chunkGroups(app: string) {
  return [
    { name: 'begin', tags: ['$initial' as const], priority: 4 },
    { name: 'renderer', test: /node_modules[\\/](react-dom|scheduler)[\\/]/, priority: 3 },
    { name: 'icons', test: icons, minShareCount: 2, priority: 3 },
    reachedGroup('queries', { entry: join(app, 'start-queries.ts'), priority: 2 }),
    reachedGroup('frame', { entry: join(app, 'show-console.tsx'), priority: 1 }),
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

/** The module and everything that it imports, without what it loads later. */
function reachedFrom(entry: string, graph: ModuleGraph): Set<string> {
  const reached = new Set<string>();
  const waiting = [entry];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (reached.has(id)) continue;
    // Such a file names everything that a library has, and the page needs little of it.
    if (lists.test(id)) continue;
    reached.add(id);
    waiting.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
  }
  return reached;
}
