import type { SettingsInput } from '@switchyard/contract/dispatch/settings';
import { isTree, type Leaf, type Tree, treeOf } from './settings-tree.ts';

export interface Change {
  /** `servers › studio › name`, as a list. */
  path: readonly string[];
  /** Undefined where it was not there before, or is not there any more. */
  before: Tree | Leaf | undefined;
  after: Tree | Leaf | undefined;
}

/** Returns the differences, each with its place. A server that was added or removed is one change. */
export function settingsChanges(before: SettingsInput, after: SettingsInput): Change[] {
  return changesIn(treeOf(before), treeOf(after), []);
}

function changesIn(before: Tree, after: Tree, path: readonly string[]): Change[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key): Change[] => {
    const [old, now] = [before[key], after[key]];
    if (areEqual(old, now)) return [];
    const at = [...path, key];
    if (isTree(old) && isTree(now)) return changesIn(old, now, at);
    return [{ path: at, before: old, after: now }];
  });
}

/** The order of the keys makes no difference. */
export function areEqual(a: unknown, b: unknown): boolean {
  if (isTree(a) && isTree(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...keys].every((key) => areEqual(a[key], b[key]));
  }
  return JSON.stringify(a) === JSON.stringify(b);
}
