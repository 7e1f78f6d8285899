import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startGateway } from '@switchyard/dev-env/gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { migrateLayout } from '@switchyard/server/ops/migrate-layout/migrate-layout';
import { ThreadOwnerStore } from '@switchyard/server/ops/migrate-layout/thread-owner-store';
import { expect, it } from 'vitest';
import { ConversationCaller, says } from './support/conversation-caller.ts';

const config = { database: { backend: 'sqlite' }, run_events: { backend: 'jsonl' } } as const;

it('shows files and events of the older layout only to their owner, once they are moved', async () => {
  const folder = temporaryFolder();
  const home = folder.path;
  const before = await startGateway({ home, config });
  const ada = await ConversationCaller.of(before.url, await before.register('ada@example.com'));
  const thread = await ada.thread();
  await ada.wait(thread, { assistant_id: 'lead_agent', input: says('what can you do?') });
  const [{ run_id: run }] = await ada.ok('GET', `/threads/${thread}/runs`);
  const events = await ada.ok('GET', `/threads/${thread}/runs/${run}/events`);
  expect(events.length).toBeGreaterThan(2);

  makeOld(home, { user: ada.userId, thread, run });
  expect(await ada.ok('GET', `/threads/${thread}/runs/${run}/events`)).toEqual([]);
  const store = new ThreadOwnerStore(before.context.database);
  await migrateLayout({ home, isDryRun: false, fatesOf: (ids) => store.of({ system: 'test' }, ids) });

  expect(await ada.ok('GET', `/threads/${thread}/runs/${run}/events`)).toEqual(events);
  const { files } = await ada.ok('GET', `/threads/${thread}/uploads/list`);
  expect(files).toMatchObject([{ filename: 'old.txt' }]);
  const bob = await ConversationCaller.of(before.url, await before.register('bob@example.com'));
  expect((await bob.get(`/threads/${thread}/uploads/list`)).status).toBe(404);
  await before.stop();
  folder.remove();
});

/** How an older version kept a thread: below no user, and with events without an owner. */
function makeOld(home: string, { user, thread, run }: { user: string; thread: string; run: string }): void {
  const old = join(home, 'threads', thread);
  mkdirSync(dirname(old), { recursive: true });
  renameSync(join(home, 'users', user, 'threads', thread), old);
  const log = join(old, 'runs', `${run}.jsonl`);
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  const ownerless = lines.map((line) => JSON.stringify({ ...JSON.parse(line), user_id: null }));
  writeFileSync(log, `${ownerless.join('\n')}\n`);
  mkdirSync(join(old, 'user-data', 'uploads'), { recursive: true });
  writeFileSync(join(old, 'user-data', 'uploads', 'old.txt'), 'old');
}
