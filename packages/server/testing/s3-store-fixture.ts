import type { S3Server } from '@switchyard/dev-env/s3-server';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { systemClock } from '../src/lib/clock.ts';
import type { Log } from '../src/lib/log.ts';
import type { Database } from '../src/platform/database/database.ts';
import { databaseIdentity } from '../src/platform/database/gateway-store.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { openDatabase } from '../src/platform/database/open.ts';
import { fileMigrations } from '../src/platform/files/migrations.ts';
import { ObjectKeyStore, type ObjectKeyTables } from '../src/platform/s3/object-key-store.ts';
import type { S3CallsOptions } from '../src/platform/s3/s3-calls.ts';
import { S3Objects } from '../src/platform/s3/s3-objects.ts';
import { S3Store, type S3StoreOptions } from '../src/platform/s3/s3-store.ts';

export type S3Address = Pick<S3Server, 'endpoint' | 'bucket' | 'accessKeyId' | 'secretAccessKey'>;

export interface S3Fixture {
  database: Database<ObjectKeyTables>;
  keys: ObjectKeyStore;
  /** The lines of the log: the level, and the sentence with that of its error. */
  logged: string[];
  objects: (more?: Partial<S3CallsOptions>) => S3Objects;
  /** Opens another store on the same rows and objects, as a replica has it. */
  open: (more?: Partial<S3StoreOptions> & { calls?: Partial<S3CallsOptions> }) => Promise<S3Store>;
  close: () => Promise<void>;
}

/** Stores over one bucket and one database in memory. */
export async function s3Fixture(server: S3Address, prefix = 'test/'): Promise<S3Fixture> {
  const untyped = await openDatabase({ backend: 'memory' });
  await migrate(untyped, 'files', fileMigrations);
  const database = untyped.withTables<ObjectKeyTables>();
  const keys = new ObjectKeyStore(database);
  const identity = await databaseIdentity(untyped);
  const opened: S3Objects[] = [];
  const folders: ReturnType<typeof temporaryFolder>[] = [];
  const logged: string[] = [];
  const objects = (more: Partial<S3CallsOptions> = {}) => {
    const { endpoint, bucket, accessKeyId, secretAccessKey } = server;
    const made = new S3Objects({
      endpoint,
      bucket,
      accessKeyId,
      secretAccessKey,
      prefix,
      region: 'us-east-1',
      pathStyle: true,
      now: systemClock,
      ...more,
    });
    opened.push(made);
    return made;
  };
  return {
    database,
    keys,
    logged,
    objects,
    open: ({ calls, ...more } = {}) => {
      const scratch = temporaryFolder();
      folders.push(scratch);
      return S3Store.open({
        objects: objects(calls),
        keys,
        database: identity,
        scratch: scratch.path,
        redirect: false,
        now: systemClock,
        log: logTo(logged),
        ...more,
      });
    },
    close: async () => {
      for (const each of opened) each.close();
      for (const folder of folders) folder.remove();
      await database.close();
    },
  };
}

function logTo(logged: string[]): Log {
  const note = (level: string) => (facts: object, message: string) => {
    const { err } = facts as { err?: Error };
    logged.push(`${level}: ${message}${err ? `: ${err.message}` : ''}`);
  };
  return { info: note('info'), warn: note('warn'), error: note('error') };
}
