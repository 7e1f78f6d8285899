import type { TimelineSpan } from './span.ts';

/** A line of the tree grid. Levels and positions count from 1, as `aria-level` and `aria-posinset` do. */
export interface TimelineRow {
  span: TimelineSpan;
  level: number;
  position: number;
  siblings: number;
  hasChildren: boolean;
  isExpanded: boolean;
}

export interface SpanTree {
  roots: readonly TimelineSpan[];
  childrenOf: ReadonlyMap<string, readonly TimelineSpan[]>;
}

/** A span whose parent is missing stands at the edge. So does one that an imported file makes its own ancestor. */
export function spanTree(spans: readonly TimelineSpan[]): SpanTree {
  const byId = new Map(spans.map((span) => [span.id, span]));
  const roots: TimelineSpan[] = [];
  const childrenOf = new Map<string, TimelineSpan[]>();
  const rooted = new Set<string>();
  for (const span of byId.values()) {
    const { parentId } = span;
    if (parentId === null || !byId.has(parentId) || isInCircle(span, { byId, rooted })) {
      roots.push(span);
      rooted.add(span.id);
      continue;
    }
    const siblings = childrenOf.get(parentId);
    if (siblings) siblings.push(span);
    else childrenOf.set(parentId, [span]);
  }
  return { roots, childrenOf };
}

/** The visible lines, parents before their children. */
export function treeRows({ roots, childrenOf }: SpanTree, collapsed: ReadonlySet<string>): TimelineRow[] {
  const rows: TimelineRow[] = [];
  const waiting = rowsOf(roots, 1).reverse();
  for (let row = waiting.pop(); row; row = waiting.pop()) {
    rows.push(row);
    if (row.isExpanded) {
      const children = rowsOf(childrenOf.get(row.span.id) ?? [], row.level + 1);
      for (let index = children.length - 1; index >= 0; index--) waiting.push(children[index] as TimelineRow);
    }
  }
  return rows;

  function rowsOf(spans: readonly TimelineSpan[], level: number): TimelineRow[] {
    return spans.map((span, index) => {
      const hasChildren = childrenOf.has(span.id);
      return {
        span,
        level,
        position: index + 1,
        siblings: spans.length,
        hasChildren,
        isExpanded: hasChildren && !collapsed.has(span.id),
      };
    });
  }
}

/** Walks up only as far as the first span that has a way to the edge already. */
function isInCircle(
  span: TimelineSpan,
  { byId, rooted }: { byId: ReadonlyMap<string, TimelineSpan>; rooted: Set<string> },
): boolean {
  const way = new Set<string>();
  let at: TimelineSpan | undefined = span;
  while (at && !rooted.has(at.id)) {
    if (way.has(at.id)) return at.id === span.id;
    way.add(at.id);
    at = at.parentId === null ? undefined : byId.get(at.parentId);
  }
  for (const id of way) rooted.add(id);
  return false;
}
