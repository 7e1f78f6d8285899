const lists = /node_modules.*[\\/](index|lucide-react)\.m?js$/;
const icons = /node_modules[\\/]lucide-react[\\/]/;

interface ModuleGraph {
  getModuleInfo: (id: string) => { importedIds: readonly string[] } | null;
}

/**
 * The files that every visit loads: what the first script needs, the renderer, and the frame around the pages. Left alone, the
 * bundler makes a file of each handful of lines that two pages share.
 */
export function chunkGroups(frame: string) {
  let modules: Set<string> | undefined;
  return [
    { name: 'begin', tags: ['$initial' as const], priority: 3 },
    { name: 'renderer', test: /node_modules[\\/](react-dom|scheduler)[\\/]/, priority: 2 },
    { name: 'icons', test: icons, minShareCount: 2, priority: 2 },
    {
      debugName: 'frame',
      name: (id: string, graph: ModuleGraph) => {
        modules ??= reachedFrom(frame, graph);
        return modules.has(id) ? 'frame' : null;
      },
      priority: 1,
    },
  ];
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
