import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigOverrides, type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { testPostgres } from '@switchyard/dev-env/postgres';
import { openDatabase } from '@switchyard/server/platform/database/open';
import type { OwnershipTables } from '@switchyard/server/platform/ownership/tables';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { startReplicas, testReplicas } from './support/replicas.ts';

const { title, isSkipped } = testReplicas('gateways of one Postgres database');

describe.skipIf(isSkipped)(title, () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function start(config: ConfigOverrides): Promise<DevGateway> {
    const gateway = await startGateway({
      config: { ...config, auth: { ...config.auth, bootstrap: 'auto' } },
    });
    closers.push(() => gateway.stop());
    return gateway;
  }

  const alone = async (): Promise<ConfigOverrides> => ({
    database: { backend: 'postgres', url: await testPostgres('').createDatabase(), pool_size: 5 },
  });
  const withoutRedis = ({ database }: ConfigOverrides): ConfigOverrides => ({
    ...(database && { database }),
    cluster: { allow_replicas_without_redis: true },
    auth: { jwt_secret: 'one secret for all of the replicas, long enough' },
  });

  /** The kinds of configuration for one database. */
  async function kinds(): Promise<Record<'redis' | 'alone' | 'without redis', ConfigOverrides>> {
    const replicas = await startReplicas(0);
    closers.push(() => replicas.stop());
    const { database } = replicas.config;
    return {
      redis: replicas.config,
      alone: { ...(database && { database }) },
      'without redis': withoutRedis(replicas.config),
    };
  }

  const firstPassword = (gateway: DevGateway): string =>
    readFileSync(gateway.context.bootstrap.credentialsPath ?? '', 'utf8');
  const leaseCount = async ({ context }: DevGateway): Promise<number> => {
    const { read } = context.database.withTables<OwnershipTables>();
    const held = read.selectFrom('leases').select('key').where('holder', 'is not', null);
    return (
      await held
        .where((where) => where.or([where('key', '=', 'gateway'), where('key', 'like', 'replica:%')]))
        .execute()
    ).length;
  };

  it.each([
    ['redis', 'alone', /^Replicas that hear of each other through Redis use this database; set bus\.backend/],
    ['redis', 'without redis', /^Replicas that hear of each other through Redis use this database; set bus/],
    [
      'alone',
      'redis',
      /^Another gateway uses this database alone; stop it, or .*: set bus\.backend to redis/,
    ],
    ['alone', 'without redis', /^Another gateway uses this database alone; stop it/],
    ['without redis', 'redis', /^Replicas without Redis use this database; set cluster\.allow_replicas/],
    ['without redis', 'alone', /^Replicas without Redis use this database; set cluster\.allow_replicas/],
  ] as const)('run as %s keep one out that is configured as %s', async (running, other, sentence) => {
    const configs = await kinds();
    const first = await start(configs[running]);
    const password = firstPassword(first);

    await expect(start(configs[other])).rejects.toThrow(sentence);
    expect(firstPassword(first)).toBe(password);
    expect(await leaseCount(first)).toBe(1);
  });

  it('change their kind when all have stopped', async () => {
    const configs = await kinds();
    await (await start(configs.alone)).stop();
    const [first, second] = [await start(configs.redis), await start(configs.redis)];
    expect(await leaseCount(first)).toBe(2);
    await first.stop();
    await second.stop();
    expect(await leaseCount(await start(configs.alone))).toBe(1);
  });

  it('wait for the lease of one that was killed, and start then', async () => {
    const configs = await kinds();
    const first = await start(configs.alone);
    await first.stop();
    const killed = await openDatabase({
      backend: 'postgres',
      url: configs.alone.database?.url ?? '',
      poolSize: 1,
    });
    const left = sql`update leases set holder = 'killed', "expiresAtMs" = "expiresAtMs" + 4000 where key = 'gateway'`;
    await killed.write((trx) => left.execute(trx));
    await killed.close();
    expect(await leaseCount(await start(configs.redis))).toBe(2);
  });

  it('with a home each and without Redis leave the first password as the first of them has made it', async () => {
    const config = withoutRedis(await alone());
    const first = await start(config);
    const password = firstPassword(first);
    const second = await start(config);
    expect(second.context.bootstrap).toEqual({ outcome: 'kept', credentialsPath: null });
    expect(existsSync(join(second.home, 'admin_initial_credentials.txt'))).toBe(false);
    expect(firstPassword(first)).toBe(password);

    // Nor do they make another one when they are started without the first.
    rmSync(first.context.bootstrap.credentialsPath ?? '');
    expect((await start(config)).context.bootstrap.outcome).toBe('kept');
  });
});
