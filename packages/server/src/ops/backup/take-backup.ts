import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { readPrivateFile } from '../../accounts/secrets/private-file.ts';
import { readKeyFile } from '../../accounts/secrets/signing-keys.ts';
import type { Config } from '../../config/schema.ts';
import { eachOf } from '../../lib/async/each-of.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { CloseStack } from '../../lib/close-stack.ts';
import type { Database } from '../../platform/database/database.ts';
import { knownIdentity } from '../../platform/database/gateway-store.ts';
import { openToRead } from '../../platform/database/open.ts';
import type { BlobStore } from '../../platform/files/blob-store.ts';
import { holdDeletions } from '../../platform/files/deletion-hold.ts';
import { acquireBackupLock } from '../../platform/home-lock.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { contentFolder, openCopiedStore } from '../blob-stores.ts';
import { homes, secretSource, sharedHome } from '../options-of-config.ts';
import { storedDatabase } from '../stored-database.ts';
import { BackupArchive } from './backup-archive.ts';
import { BackupFolder, bytesOf, explainFull, writePart } from './backup-folder.ts';
import {
  type Absent,
  filesOf,
  type ListedFile,
  type Manifest,
  manifestFormat,
  parts,
} from './backup-manifest.ts';
import { noteBackup } from './backup-record.ts';
import { BackupRowsStore } from './backup-rows-store.ts';
import { copyDatabase, rowsIn } from './copy-database.ts';
import { homeFiles, isGone, keyFileName, secretFiles } from './home-files.ts';
import { hashOf, isFolder } from './read-backup.ts';

export type BackupStep = 'database' | 'files';
export type OnProgress = (step: BackupStep, done: number, total: number | null) => void;

export interface BackupOptions {
  config: Config;
  /** The folder with the backups of this gateway, or a tar file for this one. */
  to: string;
  version: string;
  withSecrets: boolean;
  /** True when it may take all of the processor and of the disk that there is. */
  isFast: boolean;
  /** The number of backups that stay in the folder, with this one. All stay without it. */
  keep?: number | undefined;
  clock: Clock;
  log: Logger;
  onProgress: OnProgress;
}

/** The share of a core that copying files takes, so that the gateway beside it has the processor and the disk. */
const coreShare = 0.2;
/** The hash costs more in small pieces. */
const readBytes = 256 * 1024;

export interface TakenBackup {
  path: string;
  manifest: Manifest;
  /** The files that were copied because no earlier backup had them. */
  copied: { files: number; bytes: number };
  /** The backups that were too old to be kept, and the files that only they had. */
  removed: { backups: number; files: number };
}

/**
 * Takes a backup while the gateway runs, or while it does not. Rows come first and files after them, and content that a row of the copy
 * refers to is not removed meanwhile. So no row points to a file that is not there.
 */
export async function takeBackup(options: BackupOptions): Promise<TakenBackup> {
  const { config, log, clock } = options;
  const opened = new CloseStack();
  const beganMs = clock();
  let good: Parameters<typeof noteBackup>[1] = null;
  try {
    const gateway = await identityOf(config, log);
    const folder = placeOf(options);
    await mkdir(folder.path, { recursive: true, mode: 0o700 });
    const lock = await acquireBackupLock(folder.path);
    opened.add(() => lock.release());
    opened.add(() => folder.close());
    await folder.claim(gateway);
    opened.add(await holdAt(contentFolder(config)));
    const taken = await new Backup(options, { folder, gateway }).take();
    const removed = await folder.keepLatest(options.keep);
    const { takenAt, database, files, absent } = taken.manifest;
    if (absent.length === 0)
      good = {
        takenAtMs: Date.parse(takenAt),
        tookSeconds: (clock() - beganMs) / 1_000,
        bytes: database.bytes + files.bytes,
      };
    return { ...taken, removed };
  } catch (error) {
    throw explainFull(error, options.to);
  } finally {
    await noteBackup(sharedHome(config), good, log);
    await opened.close();
  }
}

function placeOf({ to: given, config, keep }: BackupOptions): BackupFolder | BackupArchive {
  const to = resolve(given);
  if (/\.(tgz|zip|7z|gz|bz2|xz|zst)$/.test(to) && !isFolder(to))
    throw new Error(`${to} is not a name for a backup: a file ends in .tar. Compress it afterwards.`);
  if (!to.endsWith('.tar') || isFolder(to)) return new BackupFolder(to);
  const home = homes(config).find((folder) => to.startsWith(folder + sep));
  if (home !== undefined)
    throw new Error(
      `${to} lies in ${home}, so each backup would hold the ones before it. Name another place.`,
    );
  if (keep !== undefined)
    throw new Error(`${to} holds one backup, so there are none to remove. --keep is for a folder.`);
  return new BackupArchive(to);
}

/** The disk of the gateway may be full, while there is room for the backup. */
async function holdAt(content: string): Promise<() => Promise<void>> {
  try {
    return await holdDeletions(content);
  } catch (error) {
    throw explainFull(error, content);
  }
}

async function identityOf(config: Config, log: Logger): Promise<string | null> {
  const database = await openToRead(storedDatabase(config, log, 'copy'));
  try {
    return await knownIdentity(database);
  } finally {
    await database.close();
  }
}

type CopyOne = (earlier: Map<string, ListedFile>) => Promise<ListedFile | null>;

class Backup {
  readonly #options: BackupOptions;
  readonly #folder: BackupFolder | BackupArchive;
  readonly #gateway: string | null;
  readonly #absent: Absent[] = [];
  readonly #copied = { files: 0, bytes: 0 };
  #pause = async (): Promise<void> => undefined;

  constructor(
    options: BackupOptions,
    { folder, gateway }: { folder: BackupFolder | BackupArchive; gateway: string | null },
  ) {
    this.#options = options;
    this.#folder = folder;
    this.#gateway = gateway;
  }

  async take(): Promise<Omit<TakenBackup, 'removed'>> {
    const { config, version, clock, onProgress } = this.#options;
    const folder = this.#folder;
    const earlier = await this.#earlierFiles();
    const draft = await folder.begin();
    const file = join(draft, parts.database);
    const { takenAtMs, backend } = await copyDatabase(this.#options, file, (done, total) =>
      onProgress('database', done, total),
    );
    const copy = await openToRead({ backend: 'sqlite', file });
    let files: Manifest['files'];
    let rows: Record<string, number>;
    try {
      rows = await rowsIn({ backend: 'sqlite', file });
      files = await this.#copyFiles(draft, { copy, earlier });
    } finally {
      await copy.close();
    }
    const secrets = this.#options.withSecrets ? await this.#copySecrets(draft, config) : null;
    const manifest: Manifest = {
      format: manifestFormat,
      takenAt: toIso(takenAtMs),
      finishedAt: toIso(clock()),
      version,
      gateway: this.#gateway,
      database: { backend, sha256: await hashOf(createReadStream(file)), bytes: await bytesOf(file), rows },
      files,
      secrets,
      absent: this.#absent,
    };
    return { path: await folder.finish(draft, manifest), manifest, copied: this.#copied };
  }

  /** The files of the latest backup by their place, so that what has not changed is not read again. */
  async #earlierFiles(): Promise<Map<string, ListedFile>> {
    const name = (await this.#folder.names()).at(-1);
    const earlier = new Map<string, ListedFile>();
    if (name === undefined) return earlier;
    for await (const listed of filesOf(this.#folder.partOf(name, parts.list)))
      if (listed.home !== 'content') earlier.set(`${listed.home} ${listed.path}`, listed);
    return earlier;
  }

  async #copyFiles(
    draft: string,
    { copy, earlier }: { copy: Database<unknown>; earlier: Map<string, ListedFile> },
  ): Promise<Manifest['files']> {
    const { onProgress } = this.#options;
    const list = createWriteStream(join(draft, parts.list), { mode: 0o600, flush: true });
    list.on('error', () => undefined); // The next write, or the end, throws it.
    const hash = createHash('sha256');
    const scratch = join(draft, 'lent');
    const content = await openCopiedStore({ ...this.#options, copy, scratch, readBytes });
    this.#pause = this.#options.isFast ? this.#pause : pauseFrom();
    let count = 0;
    let bytes = 0;
    const write = async (listed: ListedFile): Promise<void> => {
      count += 1;
      bytes += listed.bytes;
      const line = `${JSON.stringify(listed)}\n`;
      hash.update(line);
      onProgress('files', count, null);
      if (list.errored) throw list.errored;
      if (!list.write(line)) await once(list, 'drain');
    };
    try {
      const one = async (copyOne: CopyOne): Promise<void> => {
        const listed = await copyOne(earlier);
        if (listed) await write(listed);
      };
      // Files that are synced together make the gateway wait several times as long for its own commits.
      const isAlone = !this.#options.isFast && this.#options.config.files.store === 'disk';
      await eachOf(this.#allFiles(copy, content.store), one, isAlone ? 1 : undefined);
    } finally {
      content.close();
      await rm(scratch, { recursive: true, force: true });
    }
    list.end();
    await finished(list);
    return { count, bytes, listSha256: hash.digest('hex') };
  }

  /** Yields a function for each file: first the content that rows refer to, then the files of the homes. */
  async *#allFiles(copy: Database<unknown>, content: Pick<BlobStore, 'open'>): AsyncGenerator<CopyOne> {
    const { config } = this.#options;
    for await (const { sha256, bytes } of new BackupRowsStore(copy).contents())
      yield () => this.#copyContent({ sha256, bytes }, content);
    const named = [['home', config.data_home] as const, ['shared', sharedHome(config)] as const];
    const { jwt_secret_file: keyFile } = config.auth;
    const others = [
      ...homes(config),
      config.database.sqlite_dir,
      this.#folder.path,
      ...(keyFile === null ? [] : [keyFile]),
    ];
    const onAbsent = (absent: Absent) => void this.#absent.push(absent);
    for (const [home, root] of named) {
      if (home === 'shared' && root === config.data_home) continue;
      for await (const { from, stamp, path, mode } of homeFiles(root, { others, onAbsent }))
        yield async (earlier) => {
          const before = earlier.get(`${home} ${path}`);
          if (before?.stamp === stamp && (await this.#folder.has(before.sha256, before.bytes)))
            return { ...before, mode };
          const kept = await this.#keep(createReadStream(from, { highWaterMark: readBytes }), from);
          return kept && { home, path, ...kept, mode, stamp };
        };
    }
  }

  async #copyContent(
    { sha256, bytes }: { sha256: string; bytes: number },
    content: Pick<BlobStore, 'open'>,
  ): Promise<ListedFile | null> {
    const listed: ListedFile = { home: 'content', path: sha256, sha256, bytes, mode: 0o600, stamp: '' };
    if (await this.#folder.has(sha256, bytes)) return listed;
    const opened = await content.open(sha256);
    if (!opened) {
      this.#absent.push({
        path: sha256,
        why: 'A file of this content is listed, but it is not there.',
      });
      return null;
    }
    const kept = await this.#keep(opened.stream, sha256);
    if (!kept || kept.sha256 === sha256) return kept && listed;
    this.#absent.push({ path: sha256, why: 'The file is damaged: its content has another hash.' });
    return null;
  }

  async #keep(source: Readable, path: string): Promise<{ sha256: string; bytes: number } | null> {
    try {
      const kept = await this.#folder.keep(source, this.#pause);
      await this.#pause();
      this.#copied.files += 1;
      this.#copied.bytes += kept.bytes;
      return kept;
    } catch (error) {
      if (isGone(error) && !existsSync(path)) return null; // Removed meanwhile, by its user.
      if (!isUnreadable(error)) throw error;
      this.#absent.push({ path, why: `It cannot be read (${(error as Error).message}).` });
      return null;
    }
  }

  async #copySecrets(draft: string, { data_home }: Config): Promise<{ sha256: string }> {
    const shared = sharedHome(this.#options.config);
    const found: Record<string, string> = {};
    for (const name of secretFiles) {
      const text = readPrivateFile(join(data_home, name)) ?? readPrivateFile(join(shared, name));
      if (text !== undefined) found[name] = text;
    }
    const keys = readKeyFile(secretSource(this.#options.config));
    if (keys !== undefined) found[keyFileName] = keys;
    const text = `${JSON.stringify(found, null, 2)}\n`;
    await writePart(draft, parts.secrets, text);
    return { sha256: createHash('sha256').update(text).digest('hex') };
  }
}

/** Returns a function that waits until this process, from now on, has taken no more than its share. */
function pauseFrom(): () => Promise<void> {
  const [beganMs, began] = [performance.now(), process.cpuUsage()];
  return async () => {
    const { user, system } = process.cpuUsage(began);
    const waitMs = (user + system) / 1_000 / coreShare - (performance.now() - beganMs);
    if (waitMs > 0) await sleep(waitMs);
  };
}

function isUnreadable(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '');
}
