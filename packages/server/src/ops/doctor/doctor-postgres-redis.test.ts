import { testPostgres } from '@switchyard/dev-env/postgres';
import { startRedis, testRedis } from '@switchyard/dev-env/redis';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { examineGateway } from './doctor.ts';
import type { Finding } from './finding.ts';

const postgres = testPostgres('the doctor of a replica');
const redis = testRedis(postgres.title);

describe.skipIf(postgres.isSkipped || redis.isSkipped)(redis.title, () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let server: Awaited<ReturnType<typeof startRedis>>;
  let databaseUrl: string;
  beforeEach(async () => {
    folder = temporaryFolder();
    [server, databaseUrl] = await Promise.all([startRedis(), postgres.createDatabase()]);
  });
  afterEach(async () => {
    await server.stop();
    folder.remove();
  });

  const examine = (changed: Record<string, string> = {}, clock: Clock = systemClock): Promise<Finding[]> => {
    const env = {
      SWITCHYARD__DATABASE__BACKEND: 'postgres',
      SWITCHYARD__DATABASE__URL: databaseUrl,
      SWITCHYARD__BUS__BACKEND: 'redis',
      SWITCHYARD__BUS__URL: server.url,
      SWITCHYARD__FILES__SHARED_HOME: folder.path,
      AUTH_JWT_SECRET: 'iN4mVb0s8Qz1kR6yT3wE9uPoLcXhJdFg',
      ...changed,
    };
    const flags = { home: folder.path, port: '0' };
    const load = () => loadConfig({ flags, env, cwd: folder.path });
    const lastPortFor = () => 0;
    return examineGateway({ load, env, cwd: folder.path, lastPortFor, clock });
  };

  const faultsOf = async (...given: Parameters<typeof examine>): Promise<Finding[]> =>
    (await examine(...given)).filter(({ ok }) => !ok);

  it('finds servers of the right versions whose clocks agree, and leaves nothing in them', async () => {
    const findings = await examine();
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
    const says = findings.map(({ says }) => says).join('\n');
    expect(says).toMatch(/^PostgreSQL \d+.* answers\.$/m);
    expect(says).toMatch(/^Redis \d+.* answers/m);
    expect(says.match(/^The clocks of this machine and of (the database|Redis) agree/gm)).toHaveLength(2);
    expect(await server.command('DBSIZE')).toMatch(/\b0\b/);
  });

  it('names a database that cannot be reached and one that is not there', async () => {
    expect(await faultsOf({ SWITCHYARD__DATABASE__URL: 'postgres://127.0.0.1:1/switchyard' })).toMatchObject([
      {
        subject: 'database',
        says: expect.stringContaining('cannot be reached; check database.url'),
        remedy: expect.stringContaining('switchyard config show --sources'),
      },
    ]);
    const other = databaseUrl.replace(/\/[^/?]+(\?|$)/, '/not_there$1');
    expect(await faultsOf({ SWITCHYARD__DATABASE__URL: other })).toMatchObject([
      { subject: 'database', says: expect.stringContaining('has no such database') },
    ]);
  });

  it('names a Redis that cannot be reached and one that evicts', async () => {
    expect(await faultsOf({ SWITCHYARD__BUS__URL: 'redis://127.0.0.1:1' })).toMatchObject([
      {
        subject: 'redis',
        says: 'Redis at 127.0.0.1:1 cannot be reached (ECONNREFUSED); check bus.url, and that the server runs.',
        remedy: expect.stringContaining('switchyard config show --sources'),
      },
    ]);
    await server.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await faultsOf()).toMatchObject([
      { subject: 'redis', says: expect.stringContaining('set its maxmemory-policy to noeviction') },
    ]);
  });

  it('names clocks that differ', async () => {
    expect(await faultsOf({}, () => systemClock() + 60_000)).toMatchObject([
      {
        subject: 'clock',
        says: expect.stringContaining('of Redis'),
        remedy: expect.stringContaining('timedatectl'),
      },
      { subject: 'clock', says: expect.stringContaining('of the database'), remedy: expect.anything() },
    ]);
  });
});
