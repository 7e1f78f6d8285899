import type { Leaf, Tree } from './settings-tree.ts';

const maxLength = 400;

/** A value in one line, or the sign for none. */
export function valueText(value: Tree | Leaf | undefined): string {
  if (value === undefined) return '—';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

export function pathText(path: readonly string[]): string {
  return path.join(' › ');
}
