import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { createPrivateFile, writePrivateFile } from '../../accounts/secrets/private-file.ts';
import { keyFileOf } from '../../accounts/secrets/signing-keys.ts';
import type { Config } from '../../config/schema.ts';
import { eachOf } from '../../lib/async/each-of.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { CloseStack } from '../../lib/close-stack.ts';
import { newId } from '../../lib/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import { markRestored, restoredGateway } from '../../platform/database/gateway-store.ts';
import { pendingMigrations } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openAlone, openToRead } from '../../platform/database/open.ts';
import { history } from '../../platform/database/transfer/copy-tables.ts';
import type { BlobStore } from '../../platform/files/blob-store.ts';
import { nodeDisk } from '../../platform/files/disk.ts';
import { writeBlob } from '../../platform/files/write-blob.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { areaMigrations } from '../area-migrations.ts';
import { openBlobStore } from '../blob-stores.ts';
import { databaseOptions, homes, secretSource, sharedHome } from '../options-of-config.ts';
import { lockHome, type StoredDatabase } from '../stored-database.ts';
import { explainFull, syncFile } from './backup-folder.ts';
import { type Absent, filesOf, type ListedFile, type Manifest, parts } from './backup-manifest.ts';
import { BackupRowsStore } from './backup-rows-store.ts';
import { comingBack, laterState } from './coming-back.ts';
import { copyRows, removeSqlite, rowsIn } from './copy-database.ts';
import { keyFileName, secretFiles } from './home-files.ts';
import { type FoundBackup, findBackup, requireWhole } from './read-backup.ts';
import type { OnProgress } from './take-backup.ts';
import { unfinishedRestore, unfinishedRestoreFile } from './unfinished-restore.ts';

export interface RestoreOptions {
  config: Config;
  /** A folder with backups, or the folder of one of them. */
  from: string;
  /** The time of the backup; the latest one without it. */
  at?: string | undefined;
  /** True when the gateway works as soon as it starts. */
  isLive: boolean;
  /** A data home or the URL of a database that shows what was deleted and revoked since the backup. */
  compare?: string | undefined;
  clock: Clock;
  log: Logger;
  onProgress: OnProgress;
}

export interface RestoredBackup {
  path: string;
  manifest: Manifest;
  /** The things that are missing after the restoration, each with the reason. */
  absent: Absent[];
  /** Accounts and tokens that were deleted, disabled or revoked after the backup; null when nothing later is known. */
  comingBack: string[] | null;
}

/**
 * Restores a backup into an empty home and an empty database, and checks everything by its hash on the way. A restoration that was
 * broken off is begun again by the same command; until then no gateway starts in the home.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoredBackup> {
  const { config, log } = options;
  const target = databaseOptions(config, log);
  if (target.backend === 'memory')
    throw new Error(
      'Nothing outlives the process with database.backend: memory. Set another one to restore.',
    );
  const found = await findBackup(options.from, options.at);
  const opened = new CloseStack();
  try {
    opened.add(found.close);
    await requireEmpty(config);
    await lockHome(config, [target], opened);
    await requireWhole(found);
    return await new Restoration(options, found, target).restore();
  } catch (error) {
    throw explainFull(error, config.data_home);
  } finally {
    await opened.close();
  }
}

/** Locks, what a restoration that was killed may leave before its mark is there, and what a new file system has. */
const harmless = /^(\.?(home|database)\.lock(\.json)?|\.restore-unfinished\.[\w-]+\.tmp|lost\+found)$/;

/** Throws when a home holds something that no restoration has left there. */
async function requireEmpty(config: Config): Promise<void> {
  if (unfinishedRestore(config.data_home) !== null) return;
  for (const folder of new Set([...homes(config), config.database.sqlite_dir])) {
    if (!existsSync(folder)) continue;
    const inner = [config.database.sqlite_dir, sharedHome(config)];
    const entries = (await readdir(folder)).filter(
      (name) => !harmless.test(name) && !inner.includes(join(folder, name)),
    );
    if (entries.length > 0)
      throw new Error(
        `${folder} is not empty (${entries.slice(0, 3).join(', ')}). Restore into a new home: --home or SWITCHYARD_HOME.`,
      );
  }
}

class Restoration {
  readonly #options: RestoreOptions;
  readonly #found: FoundBackup;
  readonly #target: StoredDatabase;
  readonly #absent: Absent[];
  readonly #folders = new Set<string>();

  constructor(options: RestoreOptions, found: FoundBackup, target: StoredDatabase) {
    this.#options = options;
    this.#found = found;
    this.#target = target;
    this.#absent = [...found.manifest.absent];
  }

  async restore(): Promise<RestoredBackup> {
    const { config } = this.#options;
    const { manifest, path } = this.#found;
    const restore = unfinishedRestore(config.data_home) ?? newId();
    const back = await this.#requireKnown();
    const isDone = await this.#isDatabaseDone(restore);
    writePrivateFile(unfinishedRestorePath(config), `${restore}\n`);
    if (!isDone) await this.#restoreAll(restore);
    await rm(unfinishedRestorePath(config));
    await nodeDisk.syncDirectory(config.data_home);
    return { path, manifest, absent: this.#absent, comingBack: back };
  }

  /** Throws for a backup of a newer version. Returns what comes back with it. */
  async #requireKnown(): Promise<string[] | null> {
    const { part } = this.#found;
    const later = await laterState(this.#found, this.#options.compare);
    const copy = await openToRead({ backend: 'sqlite', file: part(parts.database) });
    try {
      await this.#requireVersion(copy);
      return later && (await comingBack(copy, later));
    } finally {
      await copy.close();
    }
  }

  async #requireVersion(copy: Database<unknown>): Promise<void> {
    const { version } = this.#found.manifest;
    try {
      for (const [area, migrations] of areaMigrations) await pendingMigrations(copy, area, migrations);
    } catch (cause) {
      const says = `The backup is of version ${version}, which is newer than this one. Restore it with that version.`;
      throw new Error(says, { cause });
    }
  }

  /** Returns whether this restoration has put the rows in place before it was broken off. Throws for other rows. */
  async #isDatabaseDone(restore: string): Promise<boolean> {
    const target = this.#target;
    if (target.backend === 'sqlite' && !existsSync(target.file)) return false;
    const database = await openToRead(target);
    try {
      if ((await restoredGateway(database))?.restore === restore) return true;
    } finally {
      await database.close();
    }
    await requireNoRows(target);
    return false;
  }

  /**
   * Rows come last, when all files are there. Sessions end in a copy, before it is put in place: no gateway ever sees them. A
   * store that keeps rows of its own writes them into the copy.
   */
  async #restoreAll(restore: string): Promise<void> {
    const { config, onProgress } = this.#options;
    const target = this.#target;
    const folder = config.database.sqlite_dir;
    const file = join(folder, 'switchyard.db.part');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeSqlite(file);
    await copyFile(this.#found.part(parts.database), file);
    await chmod(file, 0o600);
    const copy = openAlone(file);
    try {
      await this.#prepare(copy, restore);
      await this.#restoreFiles(copy);
      await this.#restoreSecrets();
      if (target.backend === 'postgres')
        await copyRows({ from: { backend: 'sqlite', file }, tablesOf: copy, to: target }, (done, total) =>
          onProgress('database', done, total),
        );
    } finally {
      await copy.close();
    }
    if (target.backend === 'postgres') return removeSqlite(file);
    await syncFile(file);
    await rename(file, target.file);
    await nodeDisk.syncDirectory(folder);
  }

  async #restoreFiles(copy: Database<unknown>): Promise<void> {
    const { onProgress } = this.#options;
    const { manifest, part } = this.#found;
    const content = await openBlobStore({ ...this.#options, database: copy });
    let done = 0;
    try {
      await eachOf(filesOf(part(parts.list)), async (listed) => {
        if (listed.home === 'content') await this.#restoreContent(listed, content.store);
        else await this.#restoreFile(listed);
        done += 1;
        onProgress('files', done, manifest.files.count);
      });
    } finally {
      content.close();
    }
    for (const folder of this.#folders) await nodeDisk.syncDirectory(folder);
  }

  async #restoreContent({ sha256, bytes }: ListedFile, content: BlobStore): Promise<void> {
    if (!(await this.#found.folder.has(sha256, bytes))) return this.#isAbsent(sha256);
    const stored = await content.put(this.#found.folder.open(sha256), { maxBytes: Number.POSITIVE_INFINITY });
    if (stored.sha256 !== sha256) this.#isAbsent(sha256);
  }

  async #restoreFile({ home, path, sha256, bytes, mode }: ListedFile): Promise<void> {
    const { config } = this.#options;
    if (path.split('/').some((part) => part === '..' || part === '') || path.includes('\0'))
      throw new Error('The list of files of the backup is damaged.');
    if (!(await this.#found.folder.has(sha256, bytes))) return this.#isAbsent(path);
    const to = join(home === 'shared' ? sharedHome(config) : config.data_home, ...path.split('/'));
    const folder = dirname(to);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (let at = folder; at.startsWith(config.data_home + sep); at = dirname(at)) this.#folders.add(at);
    this.#folders.add(folder);
    await rm(to, { force: true }); // A restoration that was broken off may have left it.
    const source = this.#found.folder.open(sha256);
    const written = await writeBlob(nodeDisk, to, {
      source,
      maxBytes: Number.POSITIVE_INFINITY,
      requireSpace: async () => undefined,
    });
    if (written.sha256 === sha256) return chmod(to, mode);
    await rm(to);
    this.#isAbsent(path);
  }

  #isAbsent(path: string): void {
    this.#absent.push({ path, why: 'Its content is damaged or missing in the backup.' });
  }

  async #restoreSecrets(): Promise<void> {
    const { config } = this.#options;
    if (this.#found.manifest.secrets === null) return;
    const secrets = JSON.parse(await readFile(this.#found.part(parts.secrets), 'utf8')) as Record<
      string,
      unknown
    >;
    for (const name of secretFiles) {
      const text = secrets[name];
      const path = name === keyFileName ? keyFileOf(secretSource(config)) : join(sharedHome(config), name);
      if (typeof text === 'string' && path !== null && !existsSync(path)) createPrivateFile(path, text);
    }
  }

  async #prepare(copy: Database<unknown>, restore: string): Promise<void> {
    const { isLive, clock } = this.#options;
    await new BackupRowsStore(copy).forgetTheLiving();
    const { takenAt } = this.#found.manifest;
    await markRestored(copy, { restore, restoredAt: toIso(clock()), takenAt, isQuiet: !isLive });
  }
}

/** Throws when the database has rows, apart from the steps of its areas. */
export async function requireNoRows(options: DatabaseOptions): Promise<void> {
  for (const [name, count] of Object.entries(await rowsIn(options)))
    if (count > 0 && !history.test(name))
      throw new Error(`The database is not empty: ${name} has rows. Name an empty one.`);
}

function unfinishedRestorePath({ data_home }: Config): string {
  return join(data_home, unfinishedRestoreFile);
}
