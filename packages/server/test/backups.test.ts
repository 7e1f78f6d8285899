import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { startGateway } from '@switchyard/dev-env/gateway';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { testPostgres } from '@switchyard/dev-env/postgres';
import { BackupFolder } from '@switchyard/server/ops/backup/backup-folder';
import { backupRecordFile } from '@switchyard/server/ops/backup/backup-record';
import { faultsOf, findBackup } from '@switchyard/server/ops/backup/read-backup';
import { unfinishedRestoreFile } from '@switchyard/server/ops/backup/unfinished-restore';
import { endQuiet } from '@switchyard/server/platform/database/gateway-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPlaces, type Place, type Places } from './support/backup-places.ts';
import { ConversationCaller } from './support/conversation-caller.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, held } from './support/dispatch-pool.ts';

const postgres = testPostgres('On Postgres');
const password = 'correct horse battery';
const ada = { email: 'ada@example.com', password };

let places: Places;
let backups: string;

beforeEach(() => {
  places = openPlaces();
  backups = places.backups;
});

afterEach(() => places.close());

const sqlitePlace = (name: string) => places.place(name);
const placeOn = async (name: string, isOnPostgres: boolean) =>
  places.place(
    name,
    isOnPostgres ? { database: { backend: 'postgres', url: await postgres.createDatabase() } } : {},
  );

const engines = [
  { engine: 'On SQLite', isOnPostgres: false, isSkipped: false },
  { engine: postgres.title, isOnPostgres: true, isSkipped: postgres.isSkipped },
];

describe.each(engines)('$engine, a backup', ({ isOnPostgres, isSkipped }) => {
  it.skipIf(isSkipped)(
    'has everything that was acknowledged before its time, while others write',
    async () => {
      const source = await placeOn('source', isOnPostgres);
      const gateway = await places.start(source);
      const user = await DispatchCaller.register(gateway.url, ada.email);
      const session = await HttpSession.login(gateway.url, ada);
      const talker = await ConversationCaller.of(gateway.url, session);
      const files: { at: number; fileId: string; bytes: Buffer }[] = [];
      const threads: { at: number; id: string; text: string }[] = [];
      const writers = new AbortController();
      const upload = async (): Promise<void> => {
        while (!writers.signal.aborted) {
          const bytes = randomBytes(20_000);
          const { fileId } = await user.upload('a.bin', bytes);
          files.push({ at: Date.now(), fileId, bytes });
        }
      };
      const talk = async (): Promise<void> => {
        while (!writers.signal.aborted) {
          const id = await talker.thread();
          const text = await uploadTo(talker, id);
          threads.push({ at: Date.now(), id, text });
        }
      };
      const writing = [upload(), talk()];
      await expect.poll(() => Math.min(files.length, threads.length)).toBeGreaterThan(5);
      const { manifest } = await places.take(source);
      const count = files.length;
      await expect.poll(() => files.length).toBeGreaterThan(count);
      writers.abort();
      await Promise.all(writing);
      const series = async (): Promise<string[]> =>
        (await (await gateway.fetch('/metrics')).text())
          .split('\n')
          .filter((line) => line.startsWith('switchyard_backup'));
      const bytes = manifest.database.bytes + manifest.files.bytes;
      const good = [
        `switchyard_backup_last_success_timestamp_seconds ${Date.parse(manifest.takenAt) / 1_000}`,
        `switchyard_backup_size_bytes ${bytes}`,
        expect.stringMatching(/^switchyard_backup_duration_seconds [\d.]+$/),
      ];
      const told = (failures: number) => [...good, `switchyard_backup_failures ${failures}`];
      expect(await series()).toEqual(expect.arrayContaining(told(0)));
      await expect(places.take(source, { to: source.home })).rejects.toThrow('something else than backups');
      expect(await series()).toEqual(expect.arrayContaining(told(1)));
      await gateway.stop();

      const target = await placeOn('target', isOnPostgres);
      const { absent } = await places.restore(target, { isLive: true });
      expect(absent).toEqual([]);
      expect(existsSync(join(target.home, backupRecordFile))).toBe(false);
      const again = await places.start(target);
      const reader = await DispatchCaller.login(again.url, ada.email);
      const restored = await ConversationCaller.of(again.url, await HttpSession.login(again.url, ada));
      const takenAt = Date.parse(manifest.takenAt);
      const due = files.filter(({ at }) => at < takenAt);
      expect(due.length).toBeGreaterThan(5);
      // Each file that a row names is there, those too that were added while the backup was taken.
      const contents = new Map<string, Buffer>();
      for (let cursor = ''; cursor !== null; ) {
        const { data } = await reader.call('GET', `/api/files?limit=100${cursor && `&cursor=${cursor}`}`);
        for (const { fileId, url } of data.items) {
          const answer = await fetch(url);
          expect(answer.status, fileId).toBe(200);
          contents.set(fileId, Buffer.from(await answer.arrayBuffer()));
        }
        cursor = data.nextCursor;
      }
      for (const { fileId, bytes } of due) expect(contents.get(fileId)?.equals(bytes), fileId).toBe(true);
      for (const { id, text } of threads.filter(({ at }) => at < takenAt)) {
        const { files: listed } = await restored.ok('GET', `/threads/${id}/uploads/list`);
        expect(listed).toMatchObject([{ filename: 'a.txt', size: text.length }]);
      }
    },
  );

  it.skipIf(isSkipped)('is restored beside the living gateway and rests until it is resumed', async () => {
    const worker = await FakeWorker.start(held);
    places.atEnd(() => worker.close());
    const source = await placeOn('source', isOnPostgres);
    const gateway = await places.start(source);
    const admin = await DispatchCaller.initialize(gateway.url);
    await admin.useWorkers([worker.stats.port]);
    const running = await admin.submit({ workflow: anyWorkflow });
    const waiting = await admin.submit({ workflow: anyWorkflow });
    await admin.until(
      () => admin.task(running.id),
      ({ phase }) => phase === 'executing',
    );
    const session = await HttpSession.login(gateway.url, { ...ada, email: 'admin@example.com' });
    await places.take(source, { withSecrets: true });

    const target = await placeOn('target', isOnPostgres);
    await places.restore(target);
    const quiet = await places.start(target);
    await expect(session.at(quiet.url).get('/api/v1/auth/me'), 'a session from before').rejects.toThrow(
      '401',
    );
    const reader = await DispatchCaller.login(quiet.url, 'admin@example.com');
    const health = await quiet.fetch('/api/health');
    expect(await health.json()).toMatchObject({ data: { quiet: true } });
    const own = await HttpSession.login(quiet.url, { ...ada, email: 'admin@example.com' });
    expect(await own.get('/api/v1/auth/me')).toMatchObject({ quiet: true });
    const refused = await reader.request('POST', '/api/tasks', { body: { workflow: anyWorkflow } });
    expect(refused).toMatchObject({ status: 503, body: { error: 'gateway_quiet' } });
    await expect(own.post('/api/threads', {})).rejects.toThrow('503');
    expect(await reader.task(waiting.id)).toMatchObject({ status: 'pending' });
    expect(worker.stats, 'nobody but the living gateway calls').toMatchObject({ prompts: 1 });
    expect(await admin.task(running.id)).toMatchObject({ phase: 'executing' });

    // The gateway before is gone, so this one takes its place.
    await gateway.stop();
    worker.behaviour = { ...worker.behaviour, runMs: 0 };
    worker.finishRun();
    expect(await endQuiet(quiet.context.database)).toBe(true);
    expect(await endQuiet(quiet.context.database)).toBe(false);
    expect(await reader.ended(waiting.id)).toMatchObject({ status: 'completed' });
    expect(await reader.ended(running.id)).toMatchObject({ status: 'completed' });
    expect((await reader.submit({ workflow: anyWorkflow })).id).toBeDefined();
  });
});

describe('a folder of backups', () => {
  it('gets only what is new, and a file that was changed in its place', async () => {
    const source = sqlitePlace('source');
    const gateway = await places.start(source);
    const user = await DispatchCaller.register(gateway.url, ada.email);
    await user.upload('one', randomBytes(1_000));
    const notes = join(source.home, 'notes');
    mkdirSync(notes);
    writeFileSync(join(notes, 'same'), 'same');
    writeFileSync(join(notes, 'changed'), 'before');
    expect((await places.take(source)).copied.files).toBe(3);
    expect((await places.take(source)).copied).toEqual({ files: 0, bytes: 0 });
    await user.upload('two', randomBytes(2_000));
    writeFileSync(join(notes, 'changed'), 'after!');
    const third = await places.take(source);
    expect(third.copied).toEqual({ files: 2, bytes: 2_006 });
    expect(third.manifest.files.count).toBe(4);

    const target = sqlitePlace('target');
    await places.restore(target);
    expect(readFileSync(join(target.home, 'notes', 'changed'), 'utf8')).toBe('after!');
    const earlier = sqlitePlace('earlier');
    const first = readdirSync(backups)
      .filter((name) => name.startsWith('2'))
      .sort()[0];
    await places.restore(earlier, { at: first });
    expect(readFileSync(join(earlier.home, 'notes', 'changed'), 'utf8')).toBe('before');
  });

  it('keeps as many as it is told to, with all of their content', async () => {
    const source = sqlitePlace('source');
    await (await places.start(source)).stop();
    const notes = join(source.home, 'notes');
    mkdirSync(notes);
    const takeWith = async (text: string, keep?: number) => {
      writeFileSync(join(notes, 'changing'), text);
      writeFileSync(join(notes, text), text);
      return (await places.take(source, { keep })).removed;
    };
    for (const text of ['one', 'two']) expect(await takeWith(text)).toEqual({ backups: 0, files: 0 });
    rmSync(join(notes, 'one'));
    expect(await takeWith('three')).toEqual({ backups: 0, files: 0 });
    expect(await takeWith('four', 2), 'the text of the first alone').toEqual({ backups: 2, files: 1 });
    const kept = readdirSync(backups).filter((name) => name.startsWith('2'));
    expect(kept).toHaveLength(2);
    for (const name of kept)
      expect(await faultsOf(await findBackup(join(backups, name)), () => undefined)).toEqual([]);

    const list = join(backups, kept.sort()[1] ?? '', 'files.jsonl');
    writeFileSync(list, readFileSync(list, 'utf8').replace(/^.*\n/, ''));
    await expect(takeWith('five', 2)).rejects.toThrow('is damaged, so nothing was removed');
    expect(readdirSync(backups).filter((name) => name.startsWith('2'))).toHaveLength(3);
    const file = join(places.path, 'one.tar');
    await expect(places.take(source, { to: file, keep: 2 })).rejects.toThrow('--keep is for a folder');
  });

  it('is for one gateway, and not for other things', async () => {
    const [one, other] = [sqlitePlace('one'), sqlitePlace('other')];
    await (await places.start(one)).stop();
    await (await places.start(other)).stop();
    await places.take(one);
    await expect(places.take(other)).rejects.toThrow(`${backups} holds the backups of another gateway.`);
    await expect(places.take(one, { to: one.home })).rejects.toThrow('holds something else than backups');
    const none = sqlitePlace('none');
    await expect(places.take(none)).rejects.toThrow(/There is no database at .*Name the data home/);
  });

  it('has secrets in it only when it is told to, and apart', async () => {
    const source = sqlitePlace('source');
    await (await places.start(source)).stop();
    const secret = readFileSync(join(source.home, '.jwt_secret'), 'utf8');
    await places.take(source);
    await places.take(source, { withSecrets: true });
    const [without, withThem] = readdirSync(backups)
      .filter((name) => name.startsWith('2'))
      .sort();
    const target = sqlitePlace('target');
    await places.restore(target, { at: without });
    expect(readdirSync(target.home)).not.toContain('.jwt_secret');
    const same = sqlitePlace('same');
    await places.restore(same, { at: withThem });
    expect(readFileSync(join(same.home, '.jwt_secret'), 'utf8')).toBe(secret);
    const found = await findBackup(backups);
    for (const name of readdirSync(found.part(''))) {
      const holds = readFileSync(found.part(name)).includes(secret.trim());
      expect(holds, name).toBe(name === 'secrets.json');
    }
  });
});

describe('a backup in one file', () => {
  const text = 'mine';
  let file: string;
  let contents: Buffer[];
  let source: Place;

  beforeEach(async () => {
    file = join(places.path, 'one.tar');
    source = sqlitePlace('source');
    const gateway = await places.start(source);
    const user = await DispatchCaller.register(gateway.url, ada.email);
    contents = [0, 1, 512, 300_000].map((size) => randomBytes(size));
    for (const [index, bytes] of contents.entries()) await user.upload(`${index}`, bytes);
    mkdirSync(join(source.home, 'notes'));
    for (const name of ['one', 'same']) writeFileSync(join(source.home, 'notes', name), text);
    const { path, manifest, copied } = await places.take(source, { to: file, withSecrets: true });
    expect([path, manifest.files.count, copied.files]).toEqual([file, 6, 6]);
    await gateway.stop();
  });

  it.each(['as it is', 'unpacked by tar'])('is whole, and restored from the file %s', async (how) => {
    expect(readdirSync(places.path), 'nothing but the file').toEqual(['one.tar', 'source']);
    const from = how === 'as it is' ? file : join(places.path, 'unpacked');
    if (from !== file) {
      mkdirSync(from);
      execFileSync('tar', ['-xf', file, '-C', from]);
    }
    const found = await findBackup(from);
    expect(await faultsOf(found, () => undefined)).toEqual([]);
    found.close();
    const target = sqlitePlace('target');
    expect((await places.restore(target, { from, isLive: true })).absent).toEqual([]);
    expect(readFileSync(join(target.home, 'notes', 'same'), 'utf8')).toBe(text);
    expect(readdirSync(target.home)).toContain('.jwt_secret');
    const again = await places.start(target);
    const reader = await DispatchCaller.login(again.url, ada.email);
    for (const { filename, url } of (await reader.call('GET', '/api/files')).data.items) {
      const loaded = Buffer.from(await (await fetch(url)).arrayBuffer());
      expect(loaded.equals(contents[Number(filename)] ?? Buffer.of(1)), filename).toBe(true);
    }
  });

  it('that was cut off anywhere, or is something else, is refused with one sentence', async () => {
    const whole = readFileSync(file);
    const target = sqlitePlace('target');
    for (const bytes of [0, 100, 512, 700, 300_000, whole.length - 1_024, whole.length - 513]) {
      truncateSync(file, bytes);
      await expect(places.restore(target, { from: file }), `${bytes}`).rejects.toThrow(
        `${file} ends too early: it was cut off. Use another backup.`,
      );
      writeFileSync(file, whole);
    }
    const damaged = Buffer.from(whole);
    damaged[3] = 1;
    writeFileSync(file, damaged);
    await expect(places.restore(target, { from: file })).rejects.toThrow(
      `${file} is not a backup, or is damaged at byte 0. Name another file.`,
    );
  });

  it('with damaged content is restored without it, and one with a damaged database is refused', async () => {
    const whole = readFileSync(file);
    const at = whole.indexOf(contents[3] ?? '');
    whole[at] = (whole[at] ?? 0) ^ 1;
    writeFileSync(file, whole);
    const target = sqlitePlace('target');
    expect((await places.restore(target, { from: file })).absent).toMatchObject([
      { why: 'Its content is damaged or missing in the backup.' },
    ]);
    const inDatabase = whole.indexOf('SQLite format 3') + 5_000;
    whole[inDatabase] = (whole[inDatabase] ?? 0) ^ 1;
    writeFileSync(file, whole);
    const other = sqlitePlace('other');
    await expect(places.restore(other, { from: file })).rejects.toThrow('database.db is damaged or missing');
  });

  it('is neither written over, nor into the data home, nor compressed', async () => {
    await expect(places.take(source, { to: file })).rejects.toThrow(`${file} is there already.`);
    const inside = join(source.home, 'backup.tar');
    await expect(places.take(source, { to: inside })).rejects.toThrow(`${inside} lies in ${source.home}`);
    await expect(places.take(source, { to: `${file}.gz` })).rejects.toThrow('a file ends in .tar');
    expect(readdirSync(places.path)).toEqual(['one.tar', 'source']);
  });
});

describe('a restoration', () => {
  async function backedUp(): Promise<{ source: Place; content: string }> {
    const source = sqlitePlace('source');
    const gateway = await places.start(source);
    const user = await DispatchCaller.register(gateway.url, ada.email);
    const bytes = randomBytes(1_000);
    await user.upload('one', bytes);
    mkdirSync(join(source.home, 'notes'));
    writeFileSync(join(source.home, 'notes', 'mine'), 'mine');
    await places.take(source);
    await gateway.stop();
    const content = new BackupFolder(backups).contentPath(createHash('sha256').update(bytes).digest('hex'));
    return { source, content };
  }

  it('names accounts and tokens that come back, by a later backup or by the living gateway', async () => {
    const source = sqlitePlace('source');
    const gateway = await places.start(source);
    const admin = await DispatchCaller.initialize(gateway.url);
    await DispatchCaller.register(gateway.url, ada.email);
    const session = await HttpSession.login(gateway.url, { ...ada, email: 'admin@example.com' });
    const { id } = await session.post<{ id: string }>('/api/v1/auth/tokens', {
      name: 'script',
      scopes: ['dispatch:read'],
    });
    const { manifest } = await places.take(source);
    const first = sqlitePlace('first');
    expect((await places.restore(first)).comingBack, 'nothing later is known').toBeNull();
    await admin.deleteUser(ada.email);
    await fetch(new URL(`/api/v1/auth/tokens/${id}`, gateway.url), {
      method: 'DELETE',
      headers: {
        cookie: session.cookieHeader,
        'x-csrf-token': /csrf_token=([^;]+)/.exec(session.cookieHeader)?.[1] ?? '',
      },
    });
    const lines = [
      'the account ada@example.com, which was deleted',
      'the token "script" of admin@example.com, which was revoked',
    ];
    const second = sqlitePlace('second');
    expect((await places.restore(second, { compare: source.home })).comingBack).toEqual(lines);
    await places.take(source);
    const third = sqlitePlace('third');
    expect((await places.restore(third, { at: manifest.takenAt })).comingBack).toEqual(lines);
    const wrong = sqlitePlace('wrong');
    await expect(places.restore(wrong, { compare: join(places.path, 'nowhere') })).rejects.toThrow(
      'There is no database at',
    );
  });

  it('is refused into a home that is not empty, and beside a gateway', async () => {
    const { source } = await backedUp();
    await expect(places.restore(source)).rejects.toThrow(/is not empty \(.*\)\. Restore into a new home/);
    const target = sqlitePlace('target');
    const gateway = await places.start(target);
    await expect(places.restore(target)).rejects.toThrow('is not empty');
    await gateway.stop();
  });

  it('leaves out what is damaged or missing in the backup, and names it', async () => {
    const { content } = await backedUp();
    writeFileSync(content, randomBytes(1_000));
    const faults = await faultsOf(await findBackup(backups), () => undefined);
    expect(faults).toEqual([expect.stringMatching(/^The content [0-9a-f]{64} is damaged\.$/)]);
    const damaged = sqlitePlace('damaged');
    expect((await places.restore(damaged)).absent).toMatchObject([
      { why: 'Its content is damaged or missing in the backup.' },
    ]);
    rmSync(content);
    expect(await faultsOf(await findBackup(backups), () => undefined)).toEqual([
      expect.stringMatching(/^The content [0-9a-f]{64} is missing\.$/),
    ]);
    const missing = sqlitePlace('missing');
    expect((await places.restore(missing)).absent).toHaveLength(1);
    expect(readFileSync(join(missing.home, 'notes', 'mine'), 'utf8')).toBe('mine');
  });

  it.each([
    ['whose database is damaged', 'database.db', /database\.db is damaged or missing.*Use another backup/],
    ['whose list of files is cut', 'files.jsonl', /files\.jsonl is damaged or missing/],
  ])('is refused for one %s, before anything is written', async (_what, name, message) => {
    await backedUp();
    const found = await findBackup(backups);
    truncateSync(found.part(name), 50);
    const target = sqlitePlace('target');
    await expect(places.restore(target)).rejects.toThrow(message);
    await expect(faultsOf(found, () => undefined)).rejects.toThrow(message);
    expect(readdirSync(target.home).filter((entry) => !entry.includes('lock'))).toEqual(['data']);
  });

  it('is refused for a manifest that is damaged or of another format', async () => {
    await backedUp();
    const path = (await findBackup(backups)).part('manifest.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...manifest, format: 2, version: '9.0.0' }));
    const target = sqlitePlace('target');
    await expect(places.restore(target)).rejects.toThrow(
      'was made by version 9.0.0, whose backups (format 2)',
    );
    appendFileSync(path, '{');
    await expect(places.restore(target)).rejects.toThrow(/The manifest of .* is damaged; use another backup/);
    await expect(places.restore(target, { at: '2020-01-01T00:00:00.000Z' })).rejects.toThrow(
      'No backup 2020-01-01',
    );
    await expect(places.restore(target, { from: join(places.path, 'nowhere') })).rejects.toThrow(
      'There is no backup at',
    );
  });

  it('is begun again where it was broken off, and until then no gateway starts there', async () => {
    await backedUp();
    const target = sqlitePlace('target');
    const stop = new Error('the process ends here');
    const broken = places.restore(target, {
      onProgress: () => {
        throw stop;
      },
    });
    await expect(broken).rejects.toBe(stop);
    expect(readdirSync(target.home)).toContain(unfinishedRestoreFile);
    await expect(startGateway({ home: target.home, config: target.config })).rejects.toThrow(
      'A backup was not restored to its end into',
    );
    await places.restore(target, { isLive: true });
    const gateway = await places.start(target);
    const user = await DispatchCaller.login(gateway.url, ada.email);
    expect((await user.call('GET', '/api/files')).data.total).toBe(1);
  });
});

/** Puts a file of the size of its text into the thread. */
async function uploadTo(caller: ConversationCaller, threadId: string): Promise<string> {
  const text = randomBytes(100).toString('hex');
  const form = new FormData();
  form.append('files', new Blob([text]), 'a.txt');
  const answer = await fetch(new URL(`/api/threads/${threadId}/uploads`, caller.url), {
    method: 'POST',
    headers: { 'x-api-key': caller.token },
    body: form,
  });
  if (!answer.ok) throw new Error(await answer.text());
  return text;
}
