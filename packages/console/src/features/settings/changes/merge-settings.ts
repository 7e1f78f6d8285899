import type { SettingsInput } from '@switchyard/contract/dispatch/settings';
import { areEqual } from './settings-changes.ts';
import { isTree, type Leaf, settingsOf, type Tree, treeOf } from './settings-tree.ts';

type Value = Tree | Leaf | undefined;

/** A place that both have changed, each in another way. */
export interface Conflict {
  path: readonly string[];
  mine: Value;
  theirs: Value;
}

export type Side = 'mine' | 'theirs';

export interface Merge {
  conflicts: readonly Conflict[];
  /** The settings with one side for each conflict, in their order. */
  resolve: (sides: readonly Side[]) => SettingsInput;
}

interface MergeInput {
  base: SettingsInput;
  mine: SettingsInput;
  theirs: SettingsInput;
}

/** Joins two changes of the same settings. A value that only one side has changed needs no question. */
export function mergeSettings({ base, mine, theirs }: MergeInput): Merge {
  const trees: Sides = { base: treeOf(base), mine: treeOf(mine), theirs: treeOf(theirs) };
  const conflicts: Conflict[] = [];
  mergeTrees(trees, [], (conflict) => {
    conflicts.push(conflict);
    return conflict.mine;
  });
  return {
    conflicts,
    resolve: (sides) => {
      let index = 0;
      const merged = mergeTrees(trees, [], (conflict) => {
        const side = sides[index] ?? 'mine';
        index += 1;
        return conflict[side];
      });
      return settingsOf(merged);
    },
  };
}

interface Sides {
  base: Tree;
  mine: Tree;
  theirs: Tree;
}

type Decide = (conflict: Conflict) => Value;

/** Keys stand in their order; what I have added follows. */
function mergeTrees({ base, mine, theirs }: Sides, path: readonly string[], decide: Decide): Tree {
  const keys = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])];
  const merged: Tree = {};
  for (const key of keys) {
    const value = mergeValue(
      { base: base[key], mine: mine[key], theirs: theirs[key] },
      [...path, key],
      decide,
    );
    if (value !== undefined) merged[key] = value;
  }
  return merged;
}

function mergeValue(
  { base, mine, theirs }: { base: Value; mine: Value; theirs: Value },
  path: readonly string[],
  decide: Decide,
): Value {
  if (areEqual(mine, theirs) || areEqual(base, theirs)) return mine;
  if (areEqual(base, mine)) return theirs;
  if (isTree(mine) && isTree(theirs)) {
    return mergeTrees({ base: isTree(base) ? base : {}, mine, theirs }, path, decide);
  }
  return decide({ path, mine, theirs });
}
