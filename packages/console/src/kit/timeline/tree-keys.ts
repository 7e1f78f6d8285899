import type { TimelineRow } from './tree-rows.ts';

/** The effect of a key in the tree grid: it moves to another row, or opens or closes one. */
export type TreeMove =
  | { type: 'focus'; id: string }
  | { type: 'expand'; id: string }
  | { type: 'collapse'; id: string };

const rowsPerPage = 10;

/** The keys of the tree grid pattern. Null for keys that mean nothing here, so that the page keeps them. */
export function treeMove(
  key: string,
  { rows, focusedId }: { rows: readonly TimelineRow[]; focusedId: string | null },
): TreeMove | null {
  const found = rows.findIndex(({ span }) => span.id === focusedId);
  const index = Math.max(0, found);
  const row = rows[index];
  if (!row) return null;
  const to = (target: number): TreeMove | null => {
    const { span } = rows[Math.min(rows.length - 1, Math.max(0, target))] ?? row;
    return { type: 'focus', id: span.id };
  };
  switch (key) {
    case 'ArrowDown':
      return to(found + 1);
    case 'ArrowUp':
      return to(index - 1);
    case 'PageDown':
      return to(index + rowsPerPage);
    case 'PageUp':
      return to(index - rowsPerPage);
    case 'Home':
      return to(0);
    case 'End':
      return to(rows.length - 1);
    case 'ArrowRight':
      if (!row.hasChildren) return null;
      return row.isExpanded ? to(index + 1) : { type: 'expand', id: row.span.id };
    case 'ArrowLeft':
      if (row.isExpanded) return { type: 'collapse', id: row.span.id };
      return row.level === 1 ? null : to(parentIndex(rows, index));
    default:
      return null;
  }
}

function parentIndex(rows: readonly TimelineRow[], index: number): number {
  const level = rows[index]?.level ?? 1;
  for (let at = index - 1; at >= 0; at--) if ((rows[at]?.level ?? 0) < level) return at;
  return 0;
}
