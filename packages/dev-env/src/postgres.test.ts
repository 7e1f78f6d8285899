import { statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { startOwnPostgres } from './own-postgres.ts';
import { startPostgres, testPostgres } from './postgres.ts';

async function ask(url: string, question: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query({ text: question, rowMode: 'array' });
  await client.end();
  return rows[0]?.[0];
}

const { title, isSkipped } = testPostgres('a Postgres server for tests');

describe.skipIf(isSkipped)(title, () => {
  it('is one server for all callers, with a database for each', async () => {
    const servers = await Promise.all([startPostgres(), startPostgres()]);
    const urls = await Promise.all(servers.map((server) => server.createDatabase()));
    const [one, other] = await Promise.all(
      urls.map((url) =>
        ask(url, "select pg_postmaster_start_time()::text || ' ' || current_setting('data_directory')"),
      ),
    );
    expect(one).toBe(other);
    expect(new Set(urls).size).toBe(2);
  });

  it('syncs to the disk only on request', async () => {
    const quick = await (await startPostgres()).createDatabase();
    const durable = await (await startPostgres({ isDurable: true })).createDatabase();
    expect(await ask(quick, 'show fsync')).toBe('off');
    expect(await ask(durable, 'show fsync')).toBe('on');
  });

  it('listens on no port', async () => {
    const url = await (await startPostgres()).createDatabase();
    expect(await ask(url, 'show listen_addresses')).toBe('');
  });

  it('is closed to other accounts, since it asks for no password', async () => {
    const own = await startOwnPostgres();
    for (const server of [own, await startPostgres()]) {
      const folder = new URL(await server.createDatabase()).searchParams.get('host') ?? '';
      const modes = [folder, join(folder, '.s.PGSQL.5432')].map((path) => statSync(path).mode & 0o777);
      expect(modes).toEqual([0o700, 0o700]);
    }
    await own.stop();
  });

  it('may be one of a test alone, which ends and is started again with its data', async () => {
    const server = await startOwnPostgres();
    const url = await server.createDatabase();
    await ask(url, 'create table kept (id int)');
    await server.end();
    await expect(ask(url, 'select 1')).rejects.toThrow(/ENOENT|ECONNREFUSED/);
    await server.restart();
    expect(await ask(url, 'select count(*)::int from kept')).toBe(0);
    expect(server.output()).toContain('received fast shutdown request');
    await server.stop();
  });
});
