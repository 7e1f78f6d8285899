import { existsSync } from 'node:fs';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { testPostgres } from '@switchyard/dev-env/postgres';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import type { AccountTables } from '@switchyard/server/accounts/tables';
import { openDatabase } from '@switchyard/server/platform/database/open';
import { expect, it } from 'vitest';
import { credentialsFile, readCredentials } from './credentials-file.ts';

const processes = 10;
const postgres = testPostgres('ten processes on one empty Postgres database');

interface Tables extends AccountTables {
  accounts_migrations: { name: string };
}

it.skipIf(postgres.isSkipped)(
  `${postgres.title} all serve, create one administrator and migrate once`,
  async () => {
    const url = await postgres.createDatabase();
    const homes = Array.from({ length: processes }, temporaryFolder);
    const env = {
      SWITCHYARD__DATABASE__BACKEND: 'postgres',
      SWITCHYARD__DATABASE__URL: url,
      SWITCHYARD__CLUSTER__ALLOW_REPLICAS_WITHOUT_REDIS: 'true',
      AUTH_JWT_SECRET: 'one secret for all of the replicas, long enough',
    };
    const starts = await Promise.allSettled(
      homes.map((home) => SpawnedGateway.start({ home: home.path, env, readyWithinMs: 180_000 })),
    );
    const gateways = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    const faults = starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []));
    const answers = await Promise.all(gateways.map((gateway) => fetch(new URL('/readyz', gateway.url))));
    const admins = await adminsWhoCanLogIn(
      gateways[0]?.url ?? '',
      homes.map(({ path }) => path),
    );
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    for (const home of homes) home.remove();

    expect(faults).toEqual([]);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: processes }, () => 200));
    expect(admins, 'homes whose credentials file holds').toEqual(['admin@example.com']);
    const { users, migrations } = await readState(url);
    expect(users).toEqual([{ email: 'admin@example.com', system_role: 'admin' }]);
    expect(migrations.length).toBeGreaterThan(0);
    expect(new Set(migrations.map(({ name }) => name)).size).toBe(migrations.length);
  },
);

it.skipIf(postgres.isSkipped)(
  'a second gateway on the same Postgres database ends, and names the missing setting',
  async () => {
    const url = await postgres.createDatabase();
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    const env = { SWITCHYARD__DATABASE__BACKEND: 'postgres', SWITCHYARD__DATABASE__URL: url };
    const gateway = await SpawnedGateway.start({ home: first.path, env });
    const refused = SpawnedGateway.start({ home: second.path, env });
    await expect(refused).rejects.toThrow('cluster.allow_replicas_without_redis');
    await gateway.stop();
    first.remove();
    second.remove();
  },
);

async function adminsWhoCanLogIn(url: string, homes: readonly string[]): Promise<string[]> {
  const emails: string[] = [];
  for (const home of homes.filter((path) => existsSync(credentialsFile(path)))) {
    const credentials = readCredentials(home);
    const session = await HttpSession.login(url, credentials).catch(() => undefined);
    if (session) emails.push(credentials.email);
  }
  return emails;
}

async function readState(
  url: string,
): Promise<{ users: { email: string; system_role: string }[]; migrations: { name: string }[] }> {
  const opened = await openDatabase({ backend: 'postgres', url, poolSize: 1 });
  const { read } = opened.withTables<Tables>();
  const users = await read.selectFrom('users').select(['email', 'system_role']).execute();
  const migrations = await read.selectFrom('accounts_migrations').select('name').execute();
  await opened.close();
  return { users, migrations };
}
