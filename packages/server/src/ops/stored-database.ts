import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config/schema.ts';
import type { CloseStack } from '../lib/close-stack.ts';
import type { DatabaseOptions } from '../platform/database/open.ts';
import { acquireDatabaseLock, acquireHomeLock } from '../platform/home-lock.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { databaseOptions } from './options-of-config.ts';

/** A database that outlives the process. */
export type StoredDatabase = Exclude<DatabaseOptions, { backend: 'memory' }>;

/** Returns the database of a gateway that has run. Throws an error with one sentence when there is none. */
export function storedDatabase(config: Config, log: Logger, purpose: 'copy' | 'move'): StoredDatabase {
  const options = databaseOptions(config, log);
  if (options.backend === 'memory')
    throw new Error(
      `Nothing outlives the process with database.backend: memory, so there is nothing to ${purpose}.`,
    );
  if (options.backend === 'sqlite' && !existsSync(options.file))
    throw new Error(
      `There is no database at ${options.file}. Name the data home with --home or SWITCHYARD_HOME.`,
    );
  return options;
}

/** Keeps gateways from starting in the home, and on the databases that are files. Throws while one uses them. */
export async function lockHome(
  { data_home }: Pick<Config, 'data_home'>,
  databases: readonly StoredDatabase[],
  opened: CloseStack,
): Promise<void> {
  const home = await acquireHomeLock(data_home);
  opened.add(() => home.release());
  for (const options of databases) {
    if (options.backend !== 'sqlite') continue;
    const lock = await acquireDatabaseLock(dirname(options.file));
    opened.add(() => lock.release());
  }
}
