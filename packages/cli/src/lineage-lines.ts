import type { FileLineage } from '@switchyard/contract/dispatch/lineage';

type Line = readonly [indent: number, text: string];

/**
 * The lineage as lines of a tree: first what the file came from, nearest first, then what came of it. A node that
 * several ways lead to stands in each place, and what follows it only in the first.
 */
export function lineageLines({ fileId, files, tasks, edges }: FileLineage): string[] {
  const names = new Map<string, string>();
  for (const { id, fileId: stored, filename } of files) {
    names.set(id, `${filename}  ${stored ?? 'deleted'}`);
  }
  for (const { id, name, status, instanceId } of tasks) {
    names.set(id, `task ${id}  ${[name, status, instanceId].filter((part) => part !== null).join(', ')}`);
  }
  const [up, down] = [new Map<string, string[]>(), new Map<string, string[]>()];
  for (const { from, to } of edges) {
    up.set(to, [...(up.get(to) ?? []), from]);
    down.set(from, [...(down.get(from) ?? []), to]);
  }
  const sections: [title: string, lines: Line[]][] = [
    ['came from', branchesOf(fileId, up)],
    ['became', branchesOf(fileId, down)],
  ];
  return [
    names.get(fileId) ?? fileId,
    ...sections.flatMap(([title, lines]) =>
      lines.length === 0
        ? []
        : [`${title}:`, ...lines.map(([indent, id]) => `${'  '.repeat(indent)}${names.get(id) ?? id}`)],
    ),
  ];
}

function branchesOf(start: string, next: ReadonlyMap<string, string[]>): Line[] {
  const lines: Line[] = [];
  const expanded = new Set<string>();
  const walk = (id: string, indent: number): void => {
    if (expanded.has(id)) return;
    expanded.add(id);
    for (const other of next.get(id) ?? []) {
      lines.push([indent, other]);
      walk(other, indent + 1);
    }
  };
  walk(start, 1);
  return lines;
}
