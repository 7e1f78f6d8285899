import { appendFileSync, existsSync, readFileSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openConversationDatabase } from '../../../testing/journal-fixture.ts';
import type { Database } from '../../platform/database/database.ts';
import type { ConversationTables } from '../tables.ts';
import { openEventStorage } from './create-journal.ts';
import type { EventStorage } from './event-storage.ts';
import { Journal } from './journal.ts';

const system = { system: 'test' };

describe('events in files', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let database: Database<ConversationTables>;

  beforeEach(async () => {
    folder = temporaryFolder();
    database = await openConversationDatabase({ backend: 'memory' });
  });
  afterEach(async () => {
    await database.close();
    folder.remove();
  });

  /** Like a restart of the gateway: nothing is remembered. */
  const started = (): {
    storage: EventStorage;
    write(runId: string, texts: string[], ids?: object): Promise<void>;
  } => {
    const storage = openEventStorage({ backend: 'jsonl', database, home: folder.path });
    const journal = new Journal({
      storage,
      maxTraceBytes: 1_000,
      trackTokens: true,
      now: Date.now,
      onFlushFailed: () => undefined,
    });
    const write = async (runId: string, texts: string[], ids: object = {}): Promise<void> => {
      const run = await journal.recorderFor({
        threadId: 't',
        runId,
        userId: 'alice',
        attempt: 1,
        followUpTo: null,
        ...ids,
      });
      for (const content of texts) run.record({ event_type: 'note', category: 'message', content });
      await run.flush();
    };
    return { storage, write };
  };
  const stored = async (
    owner: { user: string } | { system: string } = { user: 'alice' },
  ): Promise<[number, unknown][]> => {
    const events = await started().storage.list(owner, { threadId: 't', limit: 100 });
    return events.map(({ seq, content }) => [seq, content]);
  };
  const file = (runId: string): string => join(folder.path, 'users/alice/threads/t/runs', `${runId}.jsonl`);

  it('lie below their user and thread, one file for each run, unreadable for others', async () => {
    await started().write('r', ['a', 'b']);
    expect(readFileSync(file('r'), 'utf8').trimEnd().split('\n')).toHaveLength(2);
    expect(statSync(file('r')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder.path, 'users/alice/threads/t/runs')).mode & 0o777).toBe(0o700);
  });

  it('without an owner lie in the old place, and no user sees them', async () => {
    await started().write('r', ['a'], { userId: null });
    expect(existsSync(join(folder.path, 'threads/t/runs/r.jsonl'))).toBe(true);
    expect(await stored()).toEqual([]);
    expect(await stored(system)).toEqual([[1, 'a']]);
  });

  it('continue after a restart with the highest number of all runs and users', async () => {
    await started().write('r1', ['a', 'b']);
    await started().write('r2', ['c'], { userId: 'bob' });
    await started().write('r1', ['d']);
    expect(await stored(system)).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
      [4, 'd'],
    ]);
  });

  it('continue after a line that a crash has torn, which is skipped', async () => {
    await started().write('r', ['a', 'b']);
    truncateSync(file('r'), statSync(file('r')).size - 5);
    await started().write('r', ['c']);
    expect(await stored()).toEqual([
      [1, 'a'],
      [2, 'c'],
    ]);
  });

  it('are read past lines that are not events', async () => {
    await started().write('r', ['a']);
    appendFileSync(file('r'), '{"seq":"x"}\nnull\nnonsense\n\n');
    await started().write('r', ['b']);
    expect(await stored()).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
  });

  it.each(['../r', 'a/b', '', '.', 'x'.repeat(65), 'a\0b'])('are refused for the name %j', async (name) => {
    const { storage, write } = started();
    await expect(write(name, ['a'])).rejects.toThrow('becomes the name of a file');
    await expect(write('r', ['a'], { threadId: name })).rejects.toThrow('becomes the name of a file');
    await expect(write('r', ['a'], { userId: name })).rejects.toThrow('becomes the name of a file');
    await expect(storage.list({ user: 'alice' }, { threadId: name, limit: 1 })).rejects.toThrow(
      'becomes the name of a file',
    );
  });

  it('are not written through a link', async () => {
    await started().write('r', ['a']);
    const elsewhere = join(folder.path, 'elsewhere');
    symlinkSync(elsewhere, file('linked'));
    await expect(started().write('linked', ['b'])).rejects.toThrow();
    expect(existsSync(elsewhere)).toBe(false);
  });

  it('of one user stay hidden from another who names that user’s file', async () => {
    await started().write('r', ['a']);
    const own = join(folder.path, 'users/bob/threads/t/runs');
    await started().write('s', ['of bob'], { userId: 'bob' });
    appendFileSync(join(own, 's.jsonl'), readFileSync(file('r')));
    expect(await stored({ user: 'bob' })).toEqual([[2, 'of bob']]);
  });
});
