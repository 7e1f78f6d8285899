import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { MoveDisk } from '../src/ops/migrate-layout/move-disk.ts';
import { nodeMoveDisk } from '../src/ops/migrate-layout/move-disk.ts';

/** Files by their path, links as `-> target`, empty folders as `/`. */
export type Tree = Record<string, string>;

export function makeTree(home: string, tree: Tree): void {
  for (const [path, content] of Object.entries(tree)) {
    const place = join(home, path);
    mkdirSync(content === '/' ? place : dirname(place), { recursive: true });
    if (content.startsWith('-> ')) symlinkSync(content.slice(3), place);
    else if (content !== '/') writeFileSync(place, content);
  }
}

export function treeOf(home: string, below = ''): Tree {
  const names = readdirSync(join(home, below)).sort();
  if (names.length === 0) return below === '' ? {} : { [below]: '/' };
  return Object.assign(
    {},
    ...names.map((name) => {
      const path = join(below, name);
      const stats = lstatSync(join(home, path));
      if (stats.isSymbolicLink()) return { [path]: `-> ${readlinkSync(join(home, path))}` };
      return stats.isDirectory() ? treeOf(home, path) : { [path]: readFileSync(join(home, path), 'utf8') };
    }),
  );
}

/** Returns the contents of the files, wherever they are. */
export function contentsOf(tree: Tree): string[] {
  return Object.values(tree)
    .filter((content) => content !== '/')
    .sort();
}

/** Does not wait for the disk, because no power cut happens during a test. */
export const quickDisk: MoveDisk = {
  ...nodeMoveDisk,
  copyFile: async (from, to) => copyFileSync(from, to),
  writeText: async (path, text) => writeFileSync(path, text),
  syncFolder: async () => undefined,
};

/** A disk on which `users` and the conflicts are on a different file system than the rest of the home. */
export const dividedDisk: MoveDisk = {
  ...quickDisk,
  rename: async (from, to) => {
    const isAcross = isNew(to) !== isNew(from);
    if (isAcross) throw Object.assign(new Error('EXDEV: cross-device link'), { code: 'EXDEV' });
    await nodeMoveDisk.rename(from, to);
  },
};

function isNew(path: string): boolean {
  return path.includes('/users/') || path.includes('/migration-conflicts/');
}

/** A disk whose process dies at the given step: nothing happens from then on. */
export function dyingDisk(disk: MoveDisk, diesAt: number): MoveDisk & { readonly steps: number } {
  let steps = 0;
  const dying = Object.fromEntries(
    Object.entries(disk).map(([name, step]) => [
      name,
      async (...args: unknown[]) => {
        steps += 1;
        if (steps > diesAt) throw new Error('the process is dead');
        await (step as (...args: unknown[]) => Promise<void>)(...args);
      },
    ]),
  ) as unknown as MoveDisk;
  return Object.defineProperty({ ...dying, steps: 0 }, 'steps', { get: () => steps });
}
