import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openConversationDatabase } from '../../../testing/journal-fixture.ts';
import type { Database } from '../../platform/database/database.ts';
import type { ConversationTables } from '../tables.ts';
import { Journal } from './journal.ts';
import { RunEventStore } from './run-event-store.ts';
import type { RunRecorder } from './run-recorder.ts';

/** The fate of the next commit: it succeeds but its answer is lost, or it does not happen. */
type Fate = 'answer lost' | 'commit lost';

describe('events whose commit was not confirmed', () => {
  let database: Database<ConversationTables>;
  let fates: Fate[];
  let run: RunRecorder;

  beforeEach(async () => {
    database = await openConversationDatabase({ backend: 'memory' });
    fates = [];
    const write: typeof database.write = async (unit) => {
      const fate = fates.shift();
      if (fate === undefined) return database.write(unit);
      await database
        .write(async (trx, lastly) => {
          await unit(trx, lastly);
          if (fate === 'commit lost') throw new Error('rolled back');
        })
        .catch(() => undefined);
      throw new Error('connection lost');
    };
    const unreliable = { read: database.read, write } as typeof database;
    const journal = new Journal({
      storage: new RunEventStore(unreliable),
      maxTraceBytes: 1_000,
      trackTokens: true,
      now: Date.now,
      onFlushFailed: () => undefined,
    });
    run = await journal.recorderFor({ threadId: 't', runId: 'r', userId: 'u', attempt: 1, followUpTo: null });
  });
  afterEach(() => database.close());

  const record = (content: string): void => run.record({ event_type: 'note', category: 'message', content });
  const stored = async (): Promise<string[]> => {
    const rows = await database.read.selectFrom('run_events').select('content').orderBy('seq').execute();
    return rows.map(({ content }) => content);
  };

  it.each([
    ['that happened', ['answer lost']],
    ['that did not happen', ['commit lost']],
    ['one after the other', ['commit lost', 'answer lost', 'commit lost', 'commit lost', 'answer lost']],
  ] as const)('%s are written once, and in order', async (_title, sequence) => {
    fates.push(...sequence);
    const numbers = sequence.map((_, index) => `${index}`);
    for (const number of numbers) {
      record(number);
      await expect(run.flush()).rejects.toThrow('connection lost');
    }
    record('last');
    await run.flush();
    expect(await stored()).toEqual([...numbers, 'last']);
  });

  it('are looked for even when there is nothing new to write', async () => {
    fates.push('commit lost');
    record('1');
    await expect(run.flush()).rejects.toThrow('connection lost');
    await run.flush();
    expect(await stored()).toEqual(['1']);
  });

  it('count once when another writer has taken their number', async () => {
    fates.push('commit lost');
    record('1');
    await expect(run.flush()).rejects.toThrow('connection lost');
    await database.write((trx) =>
      trx
        .insertInto('run_events')
        .values({
          thread_id: 't',
          seq: 1,
          run_id: 'other',
          user_id: 'u',
          event_type: 'note',
          category: 'message',
          content: 'other',
          metadata: '{}',
          origin: null,
          created_at: '2030-01-01T00:00:00.000Z',
        })
        .execute(),
    );
    await database.write((trx) =>
      trx.insertInto('thread_sequences').values({ thread_id: 't', event_seq: 1, run_admission: 0 }).execute(),
    );
    await run.flush();
    expect(await stored()).toEqual(['other', '1']);
  });
});
