import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ConfigOverrides, type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { testPostgres } from '@switchyard/dev-env/postgres';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { loadConfig } from '@switchyard/server/config/load';
import type { Config } from '@switchyard/server/config/schema';
import { type MoveOptions, moveDatabase } from '@switchyard/server/ops/backup/move-database';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow } from './support/dispatch-pool.ts';

const postgres = testPostgres('a move of the database');
const admin = { email: 'admin@example.com', password: 'correct horse battery' };
/** More than one list of rows, so that a move can end between two. */
const sessions = 3_000;

type Stored = MoveOptions['to'];
type Postgres = Extract<Stored, { backend: 'postgres' }>;
type Sqlite = Extract<Stored, { backend: 'sqlite' }>;

describe.skipIf(postgres.isSkipped)(postgres.title, () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let home: string;
  let open: DevGateway[];

  beforeEach(() => {
    folder = temporaryFolder();
    home = join(folder.path, 'home');
    mkdirSync(home, { mode: 0o700 });
    open = [];
  });

  afterEach(async () => {
    for (const gateway of open) await gateway.stop();
    folder.remove();
  });

  async function start(database: Stored): Promise<DevGateway> {
    const gateway = await startGateway({ home, config: { database: databaseOf(database) } });
    let stopped: Promise<void> | undefined;
    const stop = (): Promise<void> => {
      stopped ??= gateway.stop();
      return stopped;
    };
    open.push({ ...gateway, stop });
    return { ...gateway, stop };
  }

  function move(from: Stored, to: Stored, more: Partial<MoveOptions> = {}) {
    const { config } = loadConfig({ flags: { home, port: '0' }, env: {}, cwd: folder.path });
    const database = { ...config.database, ...databaseOf(from) } as Config['database'];
    return moveDatabase({
      config: { ...config, database },
      to,
      isDryRun: false,
      isVerified: true,
      log: { warn: () => undefined } as never,
      onProgress: () => undefined,
      ...more,
    });
  }

  const sqlite = (name: string): Sqlite => ({
    backend: 'sqlite',
    file: join(folder.path, name, 'switchyard.db'),
  });
  const emptyPostgres = async (): Promise<Postgres> => ({
    backend: 'postgres',
    url: await postgres.createDatabase(),
    poolSize: 2,
  });

  /** A gateway that was used, and stopped. Returns who may ask it what it has. */
  async function used(database: Stored): Promise<{ dispatch: DispatchCaller; talker: ConversationCaller }> {
    const gateway = await start(database);
    const dispatch = await DispatchCaller.initialize(gateway.url);
    const session = await HttpSession.login(gateway.url, admin);
    const talker = await ConversationCaller.of(gateway.url, session, ['admin', 'dispatch:read']);
    for (const text of ['Grüße, 世界 🎨', 'what can you do?'])
      await talker.wait(await talker.thread({ metadata: { text } }), {
        assistant_id: 'lead_agent',
        input: says(text),
      });
    await talker.ok('POST', '/memory/facts', { content: 'Likes tea' });
    await dispatch.upload('a.bin', Buffer.from([0, 1, 2, 255]));
    await dispatch.submit({ workflow: anyWorkflow, name: 'waits' });
    await gateway.context.database
      .withTables<{ revoked_sessions: { session_id: string; expires_at: string } }>()
      .write(async (trx) => {
        for (let from = 0; from < sessions; from += 500)
          await trx
            .insertInto('revoked_sessions')
            .values(
              Array.from({ length: 500 }, (_, index) => ({
                session_id: `session ${from + index}`,
                expires_at: '2999-01-01T00:00:00.000Z',
              })),
            )
            .execute();
      });
    await gateway.stop();
    return { dispatch, talker };
  }

  /** Everything that this user can read, without what names the process or the time of the answer. */
  async function told(
    database: Stored,
    { dispatch, talker }: { dispatch: DispatchCaller; talker: ConversationCaller },
  ): Promise<unknown[]> {
    const gateway = await start(database);
    const [one, other] = [dispatch.at(gateway.url), talker.atReplica(gateway.url)];
    const threads = await other.ok('POST', '/threads/search', { limit: 100 });
    const answers = [threads];
    for (const { thread_id: id } of threads) {
      for (const path of ['', '/state', '/history', '/runs'])
        answers.push(await other.ok('GET', `/threads/${id}${path}`));
      const [run] = await other.ok('GET', `/threads/${id}/runs`);
      answers.push(await other.ok('GET', `/threads/${id}/runs/${run.run_id}/events`));
    }
    for (const path of ['/memory', '/console/runs', '/console/usage', '/v1/users', '/v1/auth/tokens'])
      answers.push((await other.get(path)).body);
    for (const path of ['/api/files', '/api/config', '/api/tasks/counts'])
      answers.push(await one.call('GET', path));
    const tasks = await one.call('GET', '/api/tasks');
    answers.push(
      tasks.data.items.map(({ id, name, createdAt }: Record<string, unknown>) => [id, name, createdAt]),
    );
    await gateway.stop();
    const text = JSON.stringify(answers).replaceAll(gateway.url, 'URL');
    return JSON.parse(
      text
        .replace(/(\?|&)(expires|e|sig|s|signature|until)=[^"&]*/g, '')
        .replace(/"last_used_at":"[^"]*"/g, '"last_used_at":null'),
    );
  }

  it('to Postgres and back, broken off ten times each way, leaves all answers as they were, and the source untouched', async () => {
    const first = sqlite('home/data');
    const callers = await used(first);
    const before = await told(first, callers);
    const bytes = readFileSync(first.file);
    const second = await emptyPostgres();
    await breakOff(first, second);
    const there = await move(first, second);
    expect(there.tables.revoked_sessions?.rows).toBe(sessions);
    expect(readFileSync(first.file).equals(bytes), 'the source').toBe(true);
    await expect(move(first, second)).rejects.toThrow(/^A move to this database had finished: /);
    expect(await told(second, callers)).toEqual(before);
    await expect(move(first, second), 'a gateway has used it since').rejects.toThrow(
      /^The database is not empty: \w+ has rows\. Name an empty one\.$/,
    );

    const third = sqlite('moved');
    await breakOff(second, third);
    const back = await move(second, third);
    expect(readdirSync(dirname(third.file)).filter((name) => name.includes('.part'))).toEqual([]);
    expect(Object.keys(back.tables)).toEqual(Object.keys(there.tables));
    expect(await told(third, callers)).toEqual(before);
  });

  /** Breaks the move off ten times, and checks that it leaves nothing there. */
  async function breakOff(from: Stored, to: Stored): Promise<void> {
    const { tables } = await move(from, to, { isDryRun: true });
    const total = Object.values(tables).reduce((sum, { rows }) => sum + rows, 0);
    for (let round = 0; round < 10; round += 1) {
      const at = randomInt(1, total);
      const isThere = new Error(`broken off at row ${at} of ${total}`);
      const broken = move(from, to, {
        isVerified: false,
        onProgress: (_step, done) => {
          if (done >= at) throw isThere;
        },
      });
      await expect(broken, isThere.message).rejects.toBe(isThere);
      if (to.backend === 'sqlite') expect(existsSync(to.file), isThere.message).toBe(false);
      else await move(from, to, { isDryRun: true }); // Throws for a target that has rows.
    }
  }

  it('is refused while a gateway uses the source, and for what cannot be the other database', async () => {
    const source = sqlite('home/data');
    const gateway = await start(source);
    const target = await emptyPostgres();
    await expect(move(source, target)).rejects.toThrow('Another gateway uses the data home');
    await gateway.stop();
    await expect(move(source, source)).rejects.toThrow(
      'The database of --to is the one that the gateway uses',
    );
    await expect(move(sqlite('nowhere'), target)).rejects.toThrow('There is no database at');
    await expect(move(target, sqlite('moved'))).rejects.toThrow('No gateway has ever used the database');
    const wrong = new URL(target.url);
    wrong.pathname = '/no_such_database';
    await expect(move(source, { ...target, url: wrong.href })).rejects.toThrow('has no such database');

    await move(source, target);
    const other = join(folder.path, 'other');
    mkdirSync(other, { mode: 0o700 });
    const config: ConfigOverrides = { database: databaseOf(target) };
    open.push(await startGateway({ home: other, config }));
    await expect(move(target, sqlite('moved'))).rejects.toThrow(
      'A gateway uses this database. Stop every gateway',
    );
  });
});

function databaseOf(database: Stored) {
  return database.backend === 'sqlite'
    ? { backend: 'sqlite' as const, sqlite_dir: dirname(database.file) }
    : { backend: 'postgres' as const, url: database.url };
}
