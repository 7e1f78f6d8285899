import { join } from 'node:path';
import type { EntryKind } from './file-tree.ts';
import type { LayoutEntry } from './layout-entry.ts';
import { asideOf, LayoutMigration } from './layout-migration.ts';
import { defaultUser, isAgentName, isFolderName, legacyFiles } from './legacy-layout.ts';
import { type MoveDisk, nodeMoveDisk } from './move-disk.ts';
import { ownerOfRunLog, stampRunLog } from './run-log-owner.ts';
import type { ThreadFate } from './thread-owner-store.ts';

interface MigrateLayoutOptions {
  /** The data home. No gateway may use it meanwhile, except in a dry run. */
  home: string;
  isDryRun: boolean;
  /** Returns the owners of these threads. A thread that is missing from the result has no owner. */
  fatesOf: (threadIds: readonly string[]) => Promise<Map<string, ThreadFate>>;
  disk?: MoveDisk;
}

const threadsAtOnce = 500;

/**
 * Moves the files of the older layout, which had no user in its paths, to their place in today's layout: below their
 * owner, or below the user `default` if they have no owner. It may be called any number of times, and continues where
 * an earlier call was interrupted.
 */
export async function migrateLayout(options: MigrateLayoutOptions): Promise<LayoutEntry[]> {
  const { home, isDryRun, fatesOf, disk = nodeMoveDisk } = options;
  const migration = new LayoutMigration({ home, isDryRun, disk });
  await moveThreads(migration, fatesOf);
  await moveFiles(migration);
  await moveAgents(migration);
  return migration.entries;
}

async function moveThreads(
  migration: LayoutMigration,
  fatesOf: MigrateLayoutOptions['fatesOf'],
): Promise<void> {
  const ids = await candidatesIn(migration, 'threads', {
    isName: isFolderName,
    whatElse: 'it is not an id of a thread',
  });
  for (let from = 0; from < ids.length; from += threadsAtOnce) {
    const page = ids.slice(from, from + threadsAtOnce);
    const fates = await fatesOf(page);
    for (const id of page) {
      const fate = fates.get(id) ?? { kind: 'unknown' };
      await migration.attempt(join('threads', id), () => moveThread(migration, id, fate));
    }
  }
  await migration.attempt('threads', () => migration.removeEmpty('threads'));
}

async function moveThread(migration: LayoutMigration, id: string, fate: ThreadFate): Promise<void> {
  const from = join('threads', id);
  if (fate.kind === 'deleted') return migration.leave(from, 'its thread was deleted; remove it yourself');
  if (fate.kind === 'unadopted') {
    return migration.leave(
      from,
      'its thread has no owner yet; start the gateway once, which gives it to the administrator, then run this again',
    );
  }
  const owner = fate.kind === 'owned' ? fate.owner : defaultUser;
  if (!isFolderName(owner)) return migration.leave(from, 'the id of its owner cannot name a folder');
  const logs = await prepareRunLogs(migration, { id, owner });
  const notes = [fate.kind === 'unknown' ? 'no record of the thread' : null, logs];
  await migration.move({
    from,
    to: join('users', owner, 'threads', id),
    owner,
    spare: asideOf(id),
    note: notes.filter((note) => note !== null).join('; ') || null,
  });
}

/**
 * Events stored as `jsonl` had no owner in the older layout, and events without an owner are shown to no one. They
 * become events of the thread's owner. A log whose events name another user goes to that user.
 */
async function prepareRunLogs(
  migration: LayoutMigration,
  { id, owner }: { id: string; owner: string },
): Promise<string | null> {
  const folder = join('threads', id, 'runs');
  let stamped = 0;
  for (const name of await migration.names(folder)) {
    const path = join(folder, name);
    const isLog = name.endsWith('.jsonl') && isFolderName(name.slice(0, -'.jsonl'.length));
    if (!isLog || (await migration.kindOf(path)) !== 'file') continue;
    const log = await ownerOfRunLog(migration.at(path));
    if (log.user !== null && log.user !== owner && isFolderName(log.user) && !log.hasOwnerless) {
      const to = join('users', log.user, 'threads', id, 'runs', name);
      await migration.move({ from: path, to, owner: log.user, spare: asideOf(`${id}.${name}`) });
    } else if (log.hasOwnerless) {
      stamped += 1;
      if (!migration.isDryRun) await stampRunLog(migration.disk, migration.at(path), owner);
    }
  }
  return stamped === 0 ? null : `${stamped} run logs name their owner now`;
}

async function moveFiles(migration: LayoutMigration): Promise<void> {
  for (const { name, spare } of legacyFiles) {
    const kind = await migration.kindOf(name);
    if (kind === 'file') await migration.attempt(name, () => moveFile(migration, name, spare));
    else if (kind !== null) migration.leave(name, whyNot(kind, 'a file'));
  }
}

async function moveFile(migration: LayoutMigration, name: string, spare: string): Promise<void> {
  const folder = join('users', defaultUser);
  await migration.move({
    from: name,
    to: join(folder, name),
    owner: defaultUser,
    spare: join(folder, spare),
  });
}

async function moveAgents(migration: LayoutMigration): Promise<void> {
  const names = await candidatesIn(migration, 'agents', {
    isName: isAgentName,
    whatElse: 'it is not a name of an agent',
  });
  for (const name of names) {
    const from = join('agents', name);
    const stored = name.toLowerCase();
    const to = join('users', defaultUser, 'agents', stored);
    const move = { from, to, owner: defaultUser, spare: asideOf(`agents.${stored}`) };
    await migration.attempt(from, () => migration.move(move));
  }
  await migration.attempt('agents', () => migration.removeEmpty('agents'));
}

/** Returns the folders of the older layout that may be moved. Everything else is reported and stays. */
async function candidatesIn(
  migration: LayoutMigration,
  folder: string,
  { isName, whatElse }: { isName: (name: string) => boolean; whatElse: string },
): Promise<string[]> {
  const kind = await migration.kindOf(folder);
  if (kind !== null && kind !== 'folder') migration.leave(folder, whyNot(kind, 'a folder'));
  const found: string[] = [];
  for (const name of await migration.names(folder)) {
    const path = join(folder, name);
    const entry = await migration.kindOf(path);
    if (entry !== null && entry !== 'folder') migration.leave(path, whyNot(entry, 'a folder'));
    else if (!isName(name)) migration.leave(path, whatElse);
    else found.push(name);
  }
  return found;
}

function whyNot(kind: EntryKind, expected: string): string {
  return kind === 'link' ? 'it is a link, which is not followed' : `it is not ${expected}`;
}
