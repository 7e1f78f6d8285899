import { join } from 'node:path';
import type { Config } from '../config/schema.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Database } from '../platform/database/database.ts';
import { databaseIdentity, knownIdentity } from '../platform/database/gateway-store.ts';
import { migrate } from '../platform/database/migrate.ts';
import type { BlobStore } from '../platform/files/blob-store.ts';
import { ContentStore } from '../platform/files/content-store.ts';
import { areDeletionsHeld } from '../platform/files/deletion-hold.ts';
import { nodeDisk } from '../platform/files/disk.ts';
import { fileMigrations } from '../platform/files/migrations.ts';
import { ObjectKeyStore, type ObjectKeyTables } from '../platform/s3/object-key-store.ts';
import type { S3CallsOptions } from '../platform/s3/s3-calls.ts';
import type { S3Store } from '../platform/s3/s3-store.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import { diskReserveBytes, sharedHome } from './options-of-config.ts';

interface StoreParts {
  config: Config;
  database: Database<unknown>;
  /** The clock of the database. */
  clock: Clock;
  log: Log;
  metrics?: Pick<Metrics, 's3Calls' | 's3CallDuration'>;
}

/** Opens the store of uploads and outputs that the configuration names. Close it after everything that uses it. */
export async function openBlobStore(parts: StoreParts): Promise<{ store: BlobStore; close: () => void }> {
  if (parts.config.files.store === 'disk')
    return { store: await openDiskStore(parts), close: () => undefined };
  const store = await openS3Store(parts);
  return { store, close: () => store.close() };
}

export function openDiskStore({ config, database, clock }: StoreParts): Promise<ContentStore> {
  return ContentStore.open({
    root: contentFolder(config),
    reserveBytes: diskReserveBytes,
    isShared: database.backend === 'postgres',
    now: clock,
  });
}

/** `isNew`: the bucket may be another one than before, as long as it has no files of another database. */
export async function openS3Store(
  { config, database, clock, log, metrics }: StoreParts,
  { isNew = false }: { isNew?: boolean } = {},
): Promise<S3Store> {
  const [{ S3Objects }, { S3Store }] = await Promise.all([
    import('../platform/s3/s3-objects.ts'),
    import('../platform/s3/s3-store.ts'),
  ]);
  await migrate(database, 'files', fileMigrations);
  return S3Store.open({
    objects: new S3Objects({
      ...s3CallsOptions(config),
      ...(metrics && {
        onTried: (operation, outcome, seconds) => {
          metrics.s3Calls.inc({ operation, outcome });
          metrics.s3CallDuration.observe({ operation }, seconds);
        },
      }),
    }),
    keys: new ObjectKeyStore(database.withTables<ObjectKeyTables>()),
    database: await databaseIdentity(database),
    scratch: join(config.data_home, 'lent'),
    redirect: config.files.s3.redirect,
    isNew,
    areDeletionsHeld: () => areDeletionsHeld(contentFolder(config), nodeDisk),
    now: clock,
    log,
  });
}

/** The folder of content on the disk. A backup holds deletions there, wherever the content is. */
export function contentFolder(config: Config): string {
  return join(sharedHome(config), 'files');
}

/** Opens the store beside a gateway, to read what the rows of a copy of its database refer to. It writes nothing. */
export async function openCopiedStore({
  config,
  copy,
  scratch,
  readBytes,
  log,
}: {
  config: Config;
  copy: Database<unknown>;
  scratch: string;
  /** The number of bytes that are read from a disk at a time. */
  readBytes: number;
  log: Log;
}): Promise<{ store: Pick<BlobStore, 'open'>; close: () => void }> {
  if (config.files.store === 'disk') {
    const options = { root: contentFolder(config), reserveBytes: 0, isShared: true, readBytes };
    return { store: await ContentStore.open(options), close: () => undefined };
  }
  const [{ S3Objects }, { S3Store }] = await Promise.all([
    import('../platform/s3/s3-objects.ts'),
    import('../platform/s3/s3-store.ts'),
  ]);
  const store = await S3Store.open({
    objects: new S3Objects(s3CallsOptions(config)),
    keys: new ObjectKeyStore(copy.withTables<ObjectKeyTables>()),
    database: (await knownIdentity(copy)) ?? '',
    scratch,
    redirect: false,
    now: systemClock,
    log,
  });
  return { store, close: () => store.close() };
}

/** Signatures have the time of this machine, which S3 compares with its own. */
export function s3CallsOptions({ files: { s3 } }: Config): S3CallsOptions {
  return {
    endpoint: s3.endpoint ?? `https://s3.${s3.region}.amazonaws.com`,
    region: s3.region,
    bucket: s3.bucket ?? '',
    prefix: s3.prefix,
    pathStyle: s3.path_style,
    accessKeyId: s3.access_key_id ?? '',
    secretAccessKey: s3.secret_access_key ?? '',
    now: systemClock,
  };
}
