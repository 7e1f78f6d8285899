import type { Config } from '../config/schema.ts';
import { eachOf } from '../lib/async/each-of.ts';
import type { Clock } from '../lib/clock.ts';
import { CloseStack } from '../lib/close-stack.ts';
import type { Database } from '../platform/database/database.ts';
import { migrate } from '../platform/database/migrate.ts';
import { openDatabase } from '../platform/database/open.ts';
import type { BlobStore } from '../platform/files/blob-store.ts';
import { ownershipMigrations } from '../platform/ownership/migrations.ts';
import { Ownership } from '../platform/ownership/ownership.ts';
import type { OwnershipTables } from '../platform/ownership/tables.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { BackupRowsStore } from './backup/backup-rows-store.ts';
import { hashOf } from './backup/read-backup.ts';
import { openDiskStore, openS3Store } from './blob-stores.ts';
import { enterDatabase } from './gateway-lease.ts';
import { leaseLifeMs } from './options-of-config.ts';
import { lockHome, storedDatabase } from './stored-database.ts';

interface MoveOptions {
  /** With the bucket that the files move to, or come from. */
  config: Config;
  to: Config['files']['store'];
  /** True when everything is read again at its new place. */
  isVerified: boolean;
  clock: Clock;
  log: Logger;
  onProgress: (step: 'copy' | 'verify', done: number, total: number | null) => void;
}

export interface MovedFiles {
  /** Content that this call has copied, and what was there already. */
  copied: number;
  copiedBytes: number;
  present: number;
  /** Content that was read again at its new place, with the right hash. */
  verified: number;
  /** Content, by its hash, that the old place does not have. */
  missing: string[];
  /** Content, by its hash, that is damaged at the old place. */
  damaged: string[];
}

interface Content {
  sha256: string;
  bytes: number;
}

/**
 * Copies all content that rows refer to from one store to the other, and changes nothing where it comes from. A call that
 * was broken off is continued by the next one. No gateway may use the database meanwhile. Throws what ends it, with a sentence.
 */
export async function moveFiles(options: MoveOptions): Promise<MovedFiles> {
  const opened = new CloseStack();
  try {
    const database = await openExclusively(options, opened);
    const parts = { ...options, database };
    const disk = await openDiskStore(parts);
    const s3 = await openS3Store(parts, { isNew: options.to === 's3' });
    opened.add(() => s3.close());
    const [from, to] = options.to === 's3' ? [disk, s3] : [s3, disk];
    return await new Move(options, { from, to, rows: new BackupRowsStore(database) }).run();
  } finally {
    await opened.close();
  }
}

class Move {
  readonly #options: Pick<MoveOptions, 'isVerified' | 'onProgress'>;
  readonly #from: BlobStore;
  readonly #to: BlobStore;
  readonly #rows: BackupRowsStore;
  readonly #moved: MovedFiles = {
    copied: 0,
    copiedBytes: 0,
    present: 0,
    verified: 0,
    missing: [],
    damaged: [],
  };

  constructor(
    options: Pick<MoveOptions, 'isVerified' | 'onProgress'>,
    { from, to, rows }: { from: BlobStore; to: BlobStore; rows: BackupRowsStore },
  ) {
    this.#options = options;
    this.#from = from;
    this.#to = to;
    this.#rows = rows;
  }

  async run(): Promise<MovedFiles> {
    const moved = this.#moved;
    let total = 0;
    for await (const _ of this.#rows.contents()) total += 1;
    await this.#each('copy', total, (content) => this.#copy(content));
    const lost = new Set([...moved.missing, ...moved.damaged]);
    if (this.#options.isVerified)
      await this.#each('verify', total, async ({ sha256 }) => {
        if (!lost.has(sha256)) await this.#verify(sha256);
      });
    return moved;
  }

  async #each(
    step: 'copy' | 'verify',
    total: number,
    work: (content: Content) => Promise<void>,
  ): Promise<void> {
    let done = 0;
    await eachOf(this.#rows.contents(), async (content) => {
      await work(content);
      done += 1;
      this.#options.onProgress(step, done, total);
    });
  }

  async #copy({ sha256, bytes }: Content): Promise<void> {
    const moved = this.#moved;
    if (await isThere(this.#to, { sha256, bytes })) {
      moved.present += 1;
      return;
    }
    const opened = await this.#from.open(sha256);
    if (!opened) {
      moved.missing.push(sha256);
      return;
    }
    const stored = await this.#to.put(opened.stream, { maxBytes: Number.POSITIVE_INFINITY });
    if (stored.sha256 !== sha256) {
      // The sweep of the gateway removes what was stored under the other hash.
      moved.damaged.push(sha256);
      return;
    }
    moved.copied += 1;
    moved.copiedBytes += stored.sizeBytes;
  }

  async #verify(sha256: string): Promise<void> {
    const opened = await this.#to.open(sha256);
    const found = opened && (await hashOf(opened.stream));
    if (found !== sha256)
      throw new Error(
        `The content ${sha256} is ${found === null ? 'missing' : 'damaged'} at its new place. Remove it there and run the command again; what is at the old place is untouched.`,
      );
    this.#moved.verified += 1;
  }
}

/** Returns whether the store has the content. It asks for one byte, since no store returns the size alone. */
async function isThere(store: BlobStore, { sha256, bytes }: Content): Promise<boolean> {
  const opened = await store.open(sha256, bytes > 0 ? { start: 0, end: 0 } : undefined);
  opened?.stream.destroy();
  return opened?.sizeBytes === bytes;
}

async function openExclusively({ config, log }: MoveOptions, opened: CloseStack): Promise<Database<unknown>> {
  const options = storedDatabase(config, log, 'move');
  await lockHome(config, [options], opened);
  const database = await openDatabase(options);
  opened.add(() => database.close());
  if (options.backend === 'sqlite') return database;
  await migrate(database, 'ownership', ownershipMigrations);
  const ownership = new Ownership({
    database: database.withTables<OwnershipTables>(),
    leaseLifeMs: leaseLifeMs(config),
  });
  opened.add(() => ownership.close());
  const onLost = (err: unknown) => log.error({ err }, 'The lease on the database was lost');
  opened.add(await enterDatabase({ ownership, kind: 'only', onLost }));
  return database;
}
