import { existsSync } from 'node:fs';
import type { Config } from '../../config/schema.ts';
import type { Clock } from '../../lib/clock.ts';
import { refuseOtherClock } from '../../platform/clock/cluster-clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { databaseNowMs } from '../../platform/database/database-time.ts';
import { databaseVersion } from '../../platform/database/database-version.ts';
import { restoredGateway } from '../../platform/database/gateway-store.ts';
import { type Migration, pendingMigrations } from '../../platform/database/migrate.ts';
import { openToRead } from '../../platform/database/open.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { areaMigrations } from '../area-migrations.ts';
import { databaseOptions } from '../options-of-config.ts';
import { sqliteFileOf } from './check-home.ts';
import { type Finding, messageOf, well, wrong } from './finding.ts';

/** The oldest server that the guide to replicas names. */
const oldestPostgres = 14;
const oldestRedis = 6.2;

const lookAt = 'switchyard config show --sources   # says where the address is set';
const setClocks = 'timedatectl set-ntp true   # on both machines';

interface Surroundings {
  config: Config;
  logger: Logger;
  clock: Clock;
  /** True when a gateway runs in the data home. */
  isRunning: boolean;
}

/** Returns what the database shows, and the database, to read on; null when there is none to read. */
export async function checkDatabase(
  surroundings: Surroundings,
): Promise<{ findings: Finding[]; database: Database<unknown> | null }> {
  const { config, logger } = surroundings;
  const file = sqliteFileOf(config);
  if (config.database.backend === 'memory')
    return { findings: [well('database', 'Rows are in memory and gone at exit.')], database: null };
  if (file !== null && !existsSync(file))
    return {
      findings: [well('database', `${file} is not there yet. The first start makes it.`)],
      database: null,
    };
  let database: Database<unknown>;
  try {
    database = await openToRead(databaseOptions(config, logger));
  } catch (error) {
    const how = file === null ? lookAt : `ls -l ${file}*   # then put a backup in its place`;
    return { findings: [wrong('database', messageOf(error), how)], database: null };
  }
  const findings = [
    await versionFinding(database),
    await updateFinding(database, surroundings),
    ...(await quietFindings(database)),
    await clockFinding(database, surroundings),
  ];
  return { findings, database };
}

async function versionFinding(database: Database<unknown>): Promise<Finding> {
  const version = await databaseVersion(database);
  if (database.dialect === 'sqlite') return well('database', `SQLite ${version} can read the file.`);
  if (Number.parseInt(version, 10) >= oldestPostgres)
    return well('database', `PostgreSQL ${version} answers.`);
  const says = `The server is PostgreSQL ${version}, and the gateway needs ${oldestPostgres} or newer.`;
  return wrong(
    'database',
    says,
    'sudo apt-get install postgresql   # then move the database with pg_dump and psql',
  );
}

/** Compares the steps that the database has had with those of this version. */
async function updateFinding(
  database: Database<unknown>,
  { config, isRunning }: Surroundings,
): Promise<Finding> {
  const pending: string[] = [];
  try {
    for (const [area, migrations] of migrationsOf(config))
      pending.push(...(await pendingMigrations(database, area, migrations)));
  } catch (error) {
    return wrong(
      'update',
      messageOf(error),
      'switchyard version   # compare it with the version that ran here last',
    );
  }
  if (pending.length === 0) return well('update', 'The database is of this version.');
  const says = `The database is older than this version, by ${pending.length} steps`;
  if (!isRunning) return well('update', `${says}. The next start takes them; make a copy of it before.`);
  const how = 'switchyard up   # after the running gateway has stopped, with this version';
  return wrong('update', `${says}, because the gateway that runs is of an older version.`, how);
}

/** Returns a finding for a restored database that is still quiet, and none for any other. */
async function quietFindings(database: Database<unknown>): Promise<Finding[]> {
  const restored = await restoredGateway(database);
  if (!restored?.isQuiet) return [];
  const says = `The gateway was restored from the backup of ${restored.takenAt} and is quiet: it works on nothing.`;
  return [wrong('restore', says, 'switchyard resume   # when it is to work in place of the one before')];
}

/** An area that is switched off has its tables brought up to date when it is switched on. */
function migrationsOf({ areas, files }: Config): [area: string, migrations: readonly Migration[]][] {
  const used: Record<string, boolean> = {
    files: files.shared_home !== null || files.store === 's3',
    dispatch: areas.dispatch,
    checkpoints: areas.conversation,
    conversation: areas.conversation,
  };
  return [...areaMigrations].filter(([area]) => used[area] ?? true);
}

async function clockFinding(database: Database<unknown>, { clock }: Surroundings): Promise<Finding> {
  if (database.dialect === 'sqlite')
    return well('clock', 'The database is on this machine and has its clock.');
  return comparedClock(() => databaseNowMs(database, database.read), { clock, other: 'the database' });
}

export async function comparedClock(
  ask: () => Promise<number>,
  { clock, other }: { clock: Clock; other: string },
): Promise<Finding> {
  try {
    await refuseOtherClock(ask, clock, other);
    return well('clock', `The clocks of this machine and of ${other} agree.`);
  } catch (error) {
    return wrong('clock', messageOf(error), setClocks);
  }
}

/** Returns nothing for a gateway without Redis. */
export async function checkRedis({ config, logger, clock }: Surroundings): Promise<Finding[]> {
  const { bus } = config;
  if (bus.backend !== 'redis') return [];
  const { RedisServer } = await import('../../platform/redis/redis-server.ts');
  const options = { url: bus.url ?? '', prefix: bus.prefix, log: logger };
  try {
    return await RedisServer.inspect(options, async (client) => {
      const version = /^redis_version:(\S+)/m.exec(await client.info('server'))?.[1] ?? 'unknown';
      const ask = async () => Number((await client.time())[0]) * 1_000;
      return [redisFinding(version), await comparedClock(ask, { clock, other: 'Redis' })];
    });
  } catch (error) {
    return [wrong('redis', messageOf(error), lookAt)];
  }
}

function redisFinding(version: string): Finding {
  if (Number.parseFloat(version) >= oldestRedis)
    return well('redis', `Redis ${version} answers and keeps what it holds.`);
  const says = `The server is Redis ${version}, and the gateway needs ${oldestRedis} or newer.`;
  return wrong('redis', says, 'sudo apt-get install redis-server');
}
