import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../../config/schema.ts';
import { CloseStack } from '../../lib/close-stack.ts';
import { openToRead } from '../../platform/database/open.ts';
import { tableExists } from '../../platform/database/table-exists.ts';
import {
  differingTables,
  history,
  type Sums,
  sumTables,
} from '../../platform/database/transfer/copy-tables.ts';
import { nodeDisk } from '../../platform/files/disk.ts';
import { Ownership } from '../../platform/ownership/ownership.ts';
import type { OwnershipTables } from '../../platform/ownership/tables.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { requireNoGateway } from '../gateway-lease.ts';
import { lockHome, type StoredDatabase, storedDatabase } from '../stored-database.ts';
import { copyRows, removeSqlite, rowsIn, sourceOf } from './copy-database.ts';
import { requireNoRows } from './restore-backup.ts';

export interface MoveOptions {
  /** The gateway whose database is the source. */
  config: Config;
  to: StoredDatabase;
  isDryRun: boolean;
  /** True when the target is read again, and compared row by row with what was copied. */
  isVerified: boolean;
  log: Logger;
  onProgress: (step: 'rows' | 'verify', done: number, total: number) => void;
}

export interface MovedDatabase {
  from: 'sqlite' | 'postgres';
  to: 'sqlite' | 'postgres';
  /** Rows and a sum over their content for each table; the sum is empty for a dry run. */
  tables: Sums;
}

/**
 * Copies all rows of a gateway that is stopped into another, empty database. The source is only read. The target has all rows or none:
 * a move that is broken off at any point is begun again by the same command.
 */
export async function moveDatabase(options: MoveOptions): Promise<MovedDatabase> {
  const { config, to, isDryRun, log } = options;
  const from = storedDatabase(config, log, 'move');
  requireDifferent(from, to);
  const opened = new CloseStack();
  try {
    await stopOthers(config, { from, to, opened });
    if (to.backend === 'postgres' || existsSync(to.file)) await requireEmpty(to, from);
    if (isDryRun) return { from: from.backend, to: to.backend, tables: await countsOf(from) };
    return { from: from.backend, to: to.backend, tables: await move(from, options) };
  } finally {
    await opened.close();
  }
}

/** Keeps a gateway from starting on either database, and throws while one uses the source. */
async function stopOthers(
  config: Config,
  { from, to, opened }: { from: StoredDatabase; to: StoredDatabase; opened: CloseStack },
): Promise<void> {
  await lockHome(config, [from, to], opened);
  if (from.backend !== 'postgres') return;
  const database = await openToRead(from);
  opened.add(() => database.close());
  if (!(await tableExists(database, 'leases')))
    throw new Error(
      'No gateway has ever used the database of database.url. Correct it, or name another --config.',
    );
  const ownership = new Ownership({ database: database.withTables<OwnershipTables>() });
  try {
    await requireNoGateway(ownership);
  } finally {
    await ownership.close();
  }
}

function requireDifferent(from: StoredDatabase, to: StoredDatabase): void {
  const isSame =
    from.backend === 'sqlite' && to.backend === 'sqlite'
      ? from.file === to.file
      : from.backend === 'postgres' && to.backend === 'postgres' && from.url === to.url;
  if (isSame) throw new Error('The database of --to is the one that the gateway uses. Name another one.');
}

/** A move that was ended after its commit has said nothing, so the one that is tried again says that it had finished. */
async function requireEmpty(to: StoredDatabase, from: StoredDatabase): Promise<void> {
  const [there, here] = [await rowsIn(to), await rowsIn(from)];
  const names = Object.keys(here).filter((name) => !history.test(name));
  const isMoved = names.every((name) => there[name] === here[name]) && names.some((name) => here[name] !== 0);
  if (!isMoved) return requireNoRows(to);
  throw new Error(
    'A move to this database had finished: each of its tables has as many rows as that of the source. Use it, or empty it to move again.',
  );
}

async function move(from: StoredDatabase, { to, isVerified, onProgress }: MoveOptions): Promise<Sums> {
  const target = to.backend === 'sqlite' ? { ...to, file: `${to.file}.part` } : to;
  if (target.backend === 'sqlite') {
    await mkdir(dirname(target.file), { recursive: true, mode: 0o700 });
    await removeSqlite(target.file);
  }
  const database = await openToRead(from);
  let sums: Sums;
  try {
    sums = await copyRows({ from, tablesOf: database, to: target }, (done, total) =>
      onProgress('rows', done, total),
    );
  } finally {
    await database.close();
  }
  if (isVerified) await verify(target, sums, onProgress);
  if (to.backend === 'sqlite' && target.backend === 'sqlite') {
    await rename(target.file, to.file);
    await nodeDisk.syncDirectory(dirname(to.file));
  }
  return sums;
}

async function verify(
  target: StoredDatabase,
  sums: Sums,
  onProgress: MoveOptions['onProgress'],
): Promise<void> {
  const source = await sourceOf(target);
  try {
    const found = await sumTables(source, Object.keys(sums), (done, total) =>
      onProgress('verify', done, total),
    );
    const differing = differingTables(sums, found);
    if (differing.length === 0) return;
    throw new Error(
      `The target differs from the source in ${differing.join(', ')}. Do not use it: empty it, and run the command again.`,
    );
  } finally {
    await source.close();
  }
}

async function countsOf(options: StoredDatabase): Promise<Sums> {
  const rows = Object.entries(await rowsIn(options)).filter(([name]) => !history.test(name));
  return Object.fromEntries(rows.map(([name, count]) => [name, { rows: count, sum: '' }]));
}
