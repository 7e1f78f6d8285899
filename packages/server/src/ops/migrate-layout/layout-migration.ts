import { basename, dirname, join } from 'node:path';
import { isContained, lookAt, namesIn, oddEntriesIn } from './file-tree.ts';
import type { LayoutEntry } from './layout-entry.ts';
import { conflictFolder } from './legacy-layout.ts';
import type { MoveDisk } from './move-disk.ts';

interface Move {
  /** Paths are relative to the data home. */
  from: string;
  to: string;
  owner: string;
  /** The path that it gets when its place is taken. A number is appended when that is taken too. */
  spare: string;
  note?: string | null;
}

/** Moves one item after the other and keeps the report. A dry run only keeps the report. */
export class LayoutMigration {
  readonly entries: LayoutEntry[] = [];
  readonly isDryRun: boolean;
  readonly disk: MoveDisk;
  readonly #home: string;
  /** The paths that a dry run would have moved away. */
  readonly #gone = new Set<string>();
  /** The places that this execution has filled, or a dry run would have filled, each with where its content was. */
  readonly #filled = new Map<string, string>();

  constructor({ home, isDryRun, disk }: { home: string; isDryRun: boolean; disk: MoveDisk }) {
    this.#home = home;
    this.isDryRun = isDryRun;
    this.disk = disk;
  }

  at(path: string): string {
    return join(this.#home, path);
  }

  async kindOf(path: string) {
    return (await lookAt(this.at(path)))?.kind ?? null;
  }

  async names(folder: string): Promise<string[]> {
    return namesIn(this.at(folder));
  }

  leave(path: string, note: string): void {
    this.entries.push({ path, action: 'left', to: null, owner: null, note });
  }

  /** A failure is reported and does not stop the other moves. The next execution tries it again. */
  async attempt(path: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      const note = error instanceof Error ? error.message : String(error);
      this.entries.push({ path, action: 'failed', to: null, owner: null, note });
    }
  }

  async move({ from, to, owner, spare, note = null }: Move): Promise<void> {
    const blocked = (await this.#blockedBy(to)) ?? (await this.#blockedBy(spare));
    if (blocked !== null) {
      this.leave(from, `${blocked} is a link or a file; nothing is put behind it`);
      return;
    }
    const place = await this.#placeFor(from, [to, ...placesLike(spare)]);
    const entry = { path: from, to: place.path, owner };
    if (place.holdsAll) {
      if (!this.isDryRun) await this.disk.remove(this.at(from));
      this.#gone.add(from);
      this.entries.push({ ...entry, action: 'completed', note: 'all of it is there already' });
      return;
    }
    const links = await this.#linksIn(from);
    if (!this.isDryRun) {
      // This happens before the move, because an execution that is interrupted after it would not come back to the
      // folder.
      await this.#makePrivate([from, ...foldersAbove(place.path)]);
      await moveTree(this.disk, this.at(from), this.at(place.path));
    }
    this.#gone.add(from);
    this.#filled.set(place.path, from);
    const isAside = place.path !== to;
    const notes = [isAside ? `${to} is there already` : null, note, links].filter((each) => each !== null);
    this.entries.push({ ...entry, action: isAside ? 'set_aside' : 'moved', note: notes.join('; ') || null });
  }

  /** Removes a folder of the older layout once it is empty. */
  async removeEmpty(folder: string): Promise<void> {
    if ((await this.kindOf(folder)) !== 'folder') return;
    const left = (await this.names(folder)).filter((name) => !this.#gone.has(join(folder, name)));
    if (left.length > 0) return;
    if (!this.isDryRun) {
      await this.disk.removeEmpty(this.at(folder));
      await this.disk.syncFolder(dirname(this.at(folder)));
    }
    this.#gone.add(folder);
    this.entries.push({ path: folder, action: 'removed', to: null, owner: null, note: null });
  }

  /**
   * Returns the first place that is free, or that holds all of the item already. Which execution filled the place makes
   * no difference, so an interrupted migration ends like one that was not.
   */
  async #placeFor(from: string, places: readonly string[]): Promise<{ path: string; holdsAll: boolean }> {
    for (const path of places) {
      if (!(await this.#isTaken(path))) return { path, holdsAll: false };
      if (await isContained(this.at(from), this.at(this.#contentOf(path)))) return { path, holdsAll: true };
    }
    throw new Error(`${places.length} places like ${places[0]} are taken. Look through ${conflictFolder}.`);
  }

  async #isTaken(path: string): Promise<boolean> {
    return this.#filled.has(path) || (await this.kindOf(path)) !== null;
  }

  /** Returns where the content of a taken place is. In a dry run it has not been moved. */
  #contentOf(place: string): string {
    return (this.isDryRun && this.#filled.get(place)) || place;
  }

  /**
   * Returns the first parent of a place that is not a folder. Anything moved there would end up outside the layout, or
   * nowhere.
   */
  async #blockedBy(path: string): Promise<string | null> {
    for (const folder of foldersAbove(path)) {
      const kind = folder === '.' ? 'folder' : await this.kindOf(folder);
      if (kind === null) return null;
      if (kind !== 'folder') return folder;
    }
    return null;
  }

  async #makePrivate(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const entry = path === '.' ? null : await lookAt(this.at(path));
      if (entry?.kind !== 'folder' || (entry.stats.mode & 0o777) === 0o700) continue;
      await this.disk.makePrivate(this.at(path));
    }
  }

  /** Links are moved unchanged: neither the migration nor the gateway follows them. */
  async #linksIn(path: string): Promise<string | null> {
    const odd = await oddEntriesIn(this.at(path));
    if (odd.length === 0) return null;
    const named = odd.slice(0, 5).map(({ path: inside }) => inside);
    const more = odd.length > named.length ? ` and ${odd.length - named.length} more` : '';
    return `holds links or special files, which are not followed: ${named.join(', ')}${more}`;
  }
}

/** Returns the outermost folder first. */
function foldersAbove(path: string): string[] {
  const parts = dirname(path).split(/[/\\]/);
  return parts.map((_, index) => join(...parts.slice(0, index + 1)));
}

const maxAside = 1_000;

/** Yields `t1`, `t1.2`, `t1.3` …; a file keeps its extension. */
function placesLike(path: string): string[] {
  const [ending = ''] = path.match(/\.(json|jsonl|md)$/) ?? [];
  const stem = path.slice(0, path.length - ending.length);
  const numbers = Array.from({ length: maxAside }, (_, index) => index + 2);
  return [path, ...numbers.map((number) => `${stem}.${number}${ending}`)];
}

/** Returns where an item goes when its own place is taken. No id contains a dot, so the kinds never collide. */
export function asideOf(name: string): string {
  return join(conflictFolder, name);
}

/**
 * Moves a file or a folder to a free place. Within one file system it renames, which happens completely or not at all.
 * To another file system it copies, names the copy when it is complete and on the disk, and only then removes the
 * original. A crash in between leaves the original, or both.
 */
async function moveTree(disk: MoveDisk, from: string, to: string): Promise<void> {
  await disk.makeFolder(dirname(to));
  try {
    await disk.rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copyOver(disk, from, to);
    await disk.remove(from);
  }
  await disk.syncFolder(dirname(to));
  await disk.syncFolder(dirname(from));
}

async function copyOver(disk: MoveDisk, from: string, to: string): Promise<void> {
  // No id begins with a dot, so the draft is never taken for a thread.
  const draft = join(dirname(to), `.${basename(to)}.migrating`);
  await disk.remove(draft);
  await copyTree(disk, from, draft);
  await disk.rename(draft, to);
  await disk.syncFolder(dirname(to));
}

async function copyTree(disk: MoveDisk, from: string, to: string): Promise<void> {
  const entry = await lookAt(from);
  if (entry?.kind === 'file') return disk.copyFile(from, to, entry.stats);
  if (entry?.kind === 'link') return disk.copyLink(from, to);
  if (entry?.kind !== 'folder')
    throw new Error(`${from} is neither a file nor a folder and cannot be copied.`);
  await disk.makeFolder(to);
  for (const name of await namesIn(from)) await copyTree(disk, join(from, name), join(to, name));
  await disk.syncFolder(to);
}
