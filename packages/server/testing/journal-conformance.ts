import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nothingCovered, type Origin } from '../src/agents/run-contract/event-origin.ts';
import type { NewRunEvent } from '../src/agents/run-contract/run-record.ts';
import type { EventFilter, EventStorage } from '../src/conversation/journal/event-storage.ts';
import { Journal } from '../src/conversation/journal/journal.ts';
import type { RunRecorder } from '../src/conversation/journal/run-recorder.ts';
import type { ConversationTables } from '../src/conversation/tables.ts';
import type { Database } from '../src/platform/database/database.ts';
import { unitPart } from '../src/platform/database/unit-part.ts';

export interface JournalVariant {
  /** The writers: one storage, or several over the same database, as several processes have them. */
  storages: readonly EventStorage[];
  database: Database<ConversationTables>;
  close(): Promise<void>;
}

const maxTraceBytes = 100;
const alice = { user: 'alice' };
const bob = { user: 'bob' };
const system = { system: 'test' };

function message(text: string, fields: Partial<NewRunEvent> = {}): NewRunEvent {
  return { event_type: 'ai_message', category: 'message', content: { type: 'ai', content: text }, ...fields };
}

function trace(content: unknown, fields: Partial<NewRunEvent> = {}): NewRunEvent {
  return { event_type: 'tool_end', category: 'trace', content, ...fields };
}

function originAt(step: number, taskId: string, namespace = ''): Origin {
  return [{ namespace, step, taskId }];
}

/** The behaviour of the journal, wherever it keeps its events. `open` returns an empty one. */
export function journalConformance(name: string, open: () => Promise<JournalVariant>): void {
  describe(`journal: ${name}`, () => {
    let variant: JournalVariant;
    let journals: Journal[];
    let flushFailures: unknown[];
    /** No run of these threads has a claim. */
    let deleted: Set<string>;

    beforeEach(async () => {
      variant = await open();
      flushFailures = [];
      deleted = new Set();
      journals = variant.storages.map(
        (storage) =>
          new Journal({
            storage,
            maxTraceBytes,
            trackTokens: true,
            now: () => Date.UTC(2030, 0, 1),
            onFlushFailed: (error) => flushFailures.push(error),
          }),
      );
    });
    afterEach(() => variant.close());

    const storage = (): EventStorage => variant.storages[0] as EventStorage;
    const recorder = (
      runId: string,
      { threadId = 't', userId = 'alice', attempt = 1, writer = 0 } = {},
    ): Promise<RunRecorder> =>
      (journals[writer % journals.length] as Journal).recorderFor({
        threadId,
        runId,
        userId,
        attempt,
        followUpTo: null,
        confirm: async () => {
          if (deleted.has(threadId)) throw new Error('The claim on the run is lost.');
        },
      });
    const written = async (runId: string, events: NewRunEvent[], options = {}): Promise<void> => {
      const run = await recorder(runId, options);
      for (const event of events) run.record(event);
      await run.flush();
    };
    const listed = (filter: Partial<EventFilter> = {}, owner = alice): Promise<RunEvent[]> =>
      storage().list(owner, { threadId: 't', limit: 1_000, ...filter });
    const seqs = async (filter: Partial<EventFilter> = {}): Promise<number[]> =>
      (await listed(filter)).map(({ seq }) => seq);
    const texts = async (filter: Partial<EventFilter> = {}): Promise<unknown[]> =>
      (await listed(filter)).map(({ content }) => (content as { content: unknown }).content);
    const deleteThread = async (threadId: string): Promise<void> => {
      await variant.database.write(async (trx) => {
        await trx
          .insertInto('deleted_threads')
          .values({
            thread_id: threadId,
            user_id: null,
            deleted_at: '2030-01-01T00:00:00.000Z',
            files_left: 0,
          })
          .execute();
        await storage().deleteThread(trx, threadId);
      });
      deleted.add(threadId);
      await storage().clearThread(threadId);
    };

    describe('events', () => {
      it('are returned as they were recorded, numbered from one', async () => {
        await written('r', [
          message('hello', { metadata: { finish_reason: 'stop' } }),
          { event_type: 'run_end', category: 'lifecycle', content: '' },
        ]);
        expect(await listed()).toEqual([
          {
            thread_id: 't',
            run_id: 'r',
            user_id: 'alice',
            event_type: 'ai_message',
            category: 'message',
            content: { type: 'ai', content: 'hello' },
            metadata: { finish_reason: 'stop', content_is_dict: true },
            seq: 1,
            created_at: '2030-01-01T00:00:00.000Z',
          },
          {
            thread_id: 't',
            run_id: 'r',
            user_id: 'alice',
            event_type: 'run_end',
            category: 'lifecycle',
            content: '',
            metadata: {},
            seq: 2,
            created_at: '2030-01-01T00:00:00.000Z',
          },
        ]);
      });

      it.each([
        ['text', 'a "quoted" line\nand \\ another'],
        ['text that looks like JSON', '{"a":1}'],
        ['a list', [{ type: 'text', text: 'x' }]],
        ['a number', 1.5],
        ['null', null],
        ['an object with U+0000 in it', { text: 'a\0b' }],
      ])('keep %s as content', async (_title, content) => {
        await written('r', [{ event_type: 'tool_result', category: 'message', content }]);
        expect((await listed())[0]?.content).toEqual(content);
      });

      it('accept text that no database can store, with U+FFFD in its place', async () => {
        await written('r', [trace('a\0b\ud800c')]);
        expect((await listed())[0]?.content).toBe('a\ufffdb\ufffdc');
      });

      it('with a type longer than the column have it cut', async () => {
        await written('r', [trace('', { event_type: 'x'.repeat(40) })]);
        expect((await listed())[0]?.event_type).toBe('x'.repeat(32));
      });
    });

    describe('trace content', () => {
      it('is cut by bytes between two characters, and marked as cut', async () => {
        await written('r', [trace(`a${'€'.repeat(40)}`)]);
        const [event] = await listed();
        expect(event?.content).toBe(`a${'€'.repeat(33)}`);
        expect(event?.metadata).toEqual({ content_truncated: true, original_byte_length: 121 });
      });

      it('stays complete at exactly the limit', async () => {
        await written('r', [trace('x'.repeat(maxTraceBytes)), trace('x'.repeat(maxTraceBytes + 1))]);
        expect((await listed()).map(({ metadata }) => metadata)).toEqual([
          {},
          { content_truncated: true, original_byte_length: maxTraceBytes + 1 },
        ]);
      });

      it('that is an object is cut in its JSON and returned as text', async () => {
        await written('r', [trace({ text: '€'.repeat(40) })]);
        const [event] = await listed();
        expect(event?.content).toBe(`{"text":"${'€'.repeat(30)}`);
        expect(event?.metadata).toEqual({ content_truncated: true, original_byte_length: 131 });
      });

      it('is the only content that is cut: messages stay complete', async () => {
        await written('r', [message('€'.repeat(500))]);
        expect(await texts()).toEqual(['€'.repeat(500)]);
      });
    });

    describe('owners', () => {
      it('are required', async () => {
        const nobody = undefined as unknown as typeof alice;
        await expect(storage().list(nobody, { threadId: 't', limit: 1 })).rejects.toThrow('without an owner');
        await expect(storage().lastAnswers(nobody, 't', ['r'])).rejects.toThrow('without an owner');
      });

      it('see only their own events, even within one thread', async () => {
        await written('r1', [message('of alice')]);
        await written('r2', [message('of bob')], { userId: 'bob' });
        expect(await texts()).toEqual(['of alice']);
        expect(await listed({ runId: 'r1' }, bob)).toEqual([]);
        expect(await storage().lastAnswers(bob, 't', ['r1', 'r2'])).toEqual(new Map([['r2', 2]]));
      });

      it('get no more events if they are administrators', async () => {
        await written('r', [message('of alice')]);
        const admin = { admin: 'root' } as unknown as typeof alice;
        expect(await listed({}, admin)).toEqual([]);
      });

      it('that are the system with a reason see everything', async () => {
        await written('r1', [message('of alice')]);
        await written('r2', [message('of bob')], { userId: 'bob' });
        const all = await listed({}, system as unknown as typeof alice);
        expect(all.map(({ user_id }) => user_id)).toEqual(['alice', 'bob']);
      });
    });

    describe('pages', () => {
      beforeEach(async () => {
        await written(
          'r1',
          ['1', '2', '3'].map((text) => message(text)),
        );
        await written('r2', [trace('t'), ...['5', '6'].map((text) => message(text))]);
      });
      const messages = { category: 'message' } as const;

      it('hold the newest rows in ascending order', async () => {
        expect(await texts({ ...messages, limit: 2 })).toEqual(['5', '6']);
        expect(await texts({ ...messages, limit: 3, beforeSeq: 6 })).toEqual(['2', '3', '5']);
      });

      it('hold the oldest rows after a cursor', async () => {
        expect(await texts({ ...messages, limit: 2, afterSeq: 1 })).toEqual(['2', '3']);
        expect(await texts({ ...messages, limit: 9, afterSeq: 2, beforeSeq: 6 })).toEqual(['3', '5']);
      });

      it('of a run hold only that run', async () => {
        expect(await seqs({ runId: 'r2' })).toEqual([4, 5, 6]);
        expect(await seqs({ runId: 'r2', types: ['tool_end'] })).toEqual([4]);
        expect(await seqs({ runId: 'r2', ...messages, limit: 1 })).toEqual([6]);
      });

      it('hold the events of one task', async () => {
        const progress = (task_id: string): NewRunEvent => trace('', { metadata: { task_id } });
        await written('r3', [progress('a'), progress('b'), progress('a'), progress('a"b')]);
        expect(await seqs({ runId: 'r3', taskId: 'a' })).toEqual([7, 9]);
        expect(await seqs({ runId: 'r3', taskId: 'a', afterSeq: 7, limit: 1 })).toEqual([9]);
        expect(await seqs({ taskId: 'a"b' })).toEqual([10]);
      });

      it('of a thread without events are empty', async () => {
        expect(await listed({ threadId: 'other' })).toEqual([]);
      });

      it('name the last answer of each run', async () => {
        await written('r1', [message('', { event_type: 'tool_result' })]);
        expect(await storage().lastAnswers(alice, 't', ['r1', 'r2', 'r3'])).toEqual(
          new Map([
            ['r1', 3],
            ['r2', 6],
          ]),
        );
      });
    });

    describe('of a hundred runs at once', () => {
      const runs = Array.from({ length: 100 }, (_, index) => `run-${index}`);
      const perRun = 25;
      const record = async (runId: string, index: number, threadId: string): Promise<void> => {
        const run = await recorder(runId, { threadId, writer: index });
        for (let number = 0; number < perRun; number += 1) {
          run.record(message(`${runId} ${number}`));
          if (number % 7 === 0) await run.flush();
        }
        await run.flush();
      };
      const limit = 190;
      const forward = async (threadId: string): Promise<RunEvent[]> => {
        const all: RunEvent[] = [];
        for (;;) {
          const afterSeq = all.at(-1)?.seq ?? 0;
          const page = await listed({ threadId, limit, afterSeq, category: 'message' });
          all.push(...page);
          if (page.length < limit) return all;
        }
      };
      const backward = async (threadId: string): Promise<RunEvent[]> => {
        const all: RunEvent[] = [];
        for (;;) {
          const page = await listed({ threadId, limit, beforeSeq: all[0]?.seq, category: 'message' });
          all.unshift(...page);
          if (page.length < limit) return all;
        }
      };

      it('numbers each event of one thread once, in the order of its run, and pages meet in both directions', async () => {
        await Promise.all(runs.map((runId, index) => record(runId, index, 't')));
        const all = await forward('t');
        expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
        expect(all).toHaveLength(runs.length * perRun);
        expect(await backward('t')).toEqual(all);
        for (const runId of runs) {
          const own = all.filter((event) => event.run_id === runId);
          expect(own.map(({ content }) => (content as { content: string }).content)).toEqual(
            Array.from({ length: perRun }, (_, number) => `${runId} ${number}`),
          );
        }
        expect(flushFailures).toEqual([]);
      });

      it('numbers the events of each of many threads from one', async () => {
        await Promise.all(runs.map((runId, index) => record(runId, index, `thread-${index % 20}`)));
        for (let thread = 0; thread < 20; thread += 1) {
          const events = await backward(`thread-${thread}`);
          expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
          expect(events).toHaveLength(5 * perRun);
        }
      });
    });

    describe('what is recorded', () => {
      it('is written without a flush once there is a batch', async () => {
        const run = await recorder('r');
        for (let number = 0; number < 19; number += 1) run.record(message(`${number}`));
        await variant.database.write(async () => undefined);
        expect(await listed()).toEqual([]);
        run.record(message('19'));
        await expect.poll(() => listed()).toHaveLength(20);
      });

      it('is committed together with the writes of a unit', async () => {
        const run = await recorder('r');
        run.record(message('with it'));
        const part = unitPart<ConversationTables>(async (trx) => {
          await trx.insertInto('run_inputs').values({ run_id: 'r', kwargs: '{}' }).execute();
        });
        await run.write(part);
        expect(await texts()).toEqual(['with it']);
        expect(await variant.database.read.selectFrom('run_inputs').selectAll().execute()).toHaveLength(1);
      });

      it('is written once and in order, even if units fail, one after the other and at once', async () => {
        const run = await recorder('r');
        const failing = async (): Promise<void> => {
          throw new Error('the unit failed');
        };
        run.record(message('1'));
        await expect(run.write(failing)).rejects.toThrow('the unit failed');
        run.record(message('2'));
        const outcomes = [run.write(failing), run.write()];
        run.record(message('3'));
        outcomes.push(run.write(failing), run.write());
        const settled = await Promise.allSettled(outcomes);
        expect(settled.map(({ status }) => status)).toEqual([
          'rejected',
          'fulfilled',
          'rejected',
          'fulfilled',
        ]);
        expect(await texts()).toEqual(['1', '2', '3']);
      });

      it('is refused when the process may no longer write for the run', async () => {
        const [journal] = journals;
        const run = await (journal as Journal).recorderFor({
          threadId: 't',
          runId: 'r',
          userId: 'alice',
          attempt: 1,
          followUpTo: null,
          confirm: async () => {
            throw new Error('lost');
          },
        });
        await expect(run.write()).rejects.toThrow('lost');
      });
    });

    describe('a run that continues', () => {
      it('keeps what its checkpoints cover, and what happens only once', async () => {
        await written('r', [
          { event_type: 'human_message', category: 'message', content: { type: 'human', content: 'once' } },
          message('covered by step', { origin: originAt(1, 'a') }),
          message('covered by its task', { origin: originAt(2, 'b') }),
          message('covered by the task around it', {
            origin: [...originAt(2, 'b'), ...originAt(5, 'inner', 'sub:b')],
          }),
          message('covered inside', { origin: [...originAt(2, 'c'), ...originAt(0, 'd', 'sub:c')] }),
          message('lost', { origin: originAt(2, 'c') }),
          message('lost inside', { origin: [...originAt(2, 'c'), ...originAt(1, 'e', 'sub:c')] }),
          { event_type: 'run_end', category: 'lifecycle', content: '' },
        ]);
        const run = await recorder('r', { attempt: 2 });
        const coverage = {
          steps: new Map([
            ['', 1],
            ['sub:c', 0],
          ]),
          finishedTasks: new Set(['b']),
        };
        expect(await run.dropUncovered(coverage)).toBe(3);
        expect(await texts()).toEqual([
          'once',
          'covered by step',
          'covered by its task',
          'covered by the task around it',
          'covered inside',
        ]);
        expect(await run.dropUncovered(coverage)).toBe(0);
      });

      it('does not change other runs, and never uses a number twice', async () => {
        await written('other', [message('other', { origin: originAt(1, 'x') })]);
        await written('r', [message('lost', { origin: originAt(1, 'x') })]);
        const run = await recorder('r', { attempt: 2 });
        await run.dropUncovered(nothingCovered);
        run.record(message('again'));
        await run.flush();
        expect(await texts()).toEqual(['other', 'again']);
        expect(await seqs()).toEqual([1, 3]);
      });

      it('counts from the remaining events, and records the attempt of each event', async () => {
        const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
        const response = (origin: Origin): NewRunEvent =>
          trace('', {
            event_type: 'llm_response',
            metadata: { caller: 'lead_agent', model_name: 'm', usage },
            origin,
          });
        const request = trace('', { event_type: 'llm_request', metadata: { llm_call_index: 1 } });
        await written('r', [request, response(originAt(1, 'a')), message('1', { origin: originAt(1, 'a') })]);
        await written('r', [response(originAt(2, 'b')), message('2', { origin: originAt(2, 'b') })]);
        const run = await recorder('r', { attempt: 2 });
        expect(run.totals()).toMatchObject({ message_count: 2, total_tokens: 10, last_ai_message: '2' });
        await run.dropUncovered({ steps: new Map([['', 1]]), finishedTasks: new Set() });
        expect(run.totals()).toMatchObject({ message_count: 1, total_tokens: 5, last_ai_message: '1' });
        expect(run.nextCallIndex()).toBe(2);
        run.record(trace('again'));
        await run.flush();
        expect((await listed({ types: ['tool_end'] }))[0]?.metadata).toEqual({ attempt: 2 });
      });
    });

    describe('deleting', () => {
      it('a thread removes all its events, and a run that ends late adds none', async () => {
        await written('r1', [message('of alice')]);
        await written('r2', [message('of bob')], { userId: 'bob' });
        await written('r3', [message('elsewhere')], { threadId: 'other' });
        const late = await recorder('r1');
        late.record(message('late'));
        await deleteThread('t');
        await expect(late.flush()).rejects.toThrow();
        expect(await listed({}, system as unknown as typeof alice)).toEqual([]);
        expect(await texts({ threadId: 'other' })).toEqual(['elsewhere']);
      });

      it('a run keeps the others', async () => {
        await written('r1', [message('1')]);
        await written('r2', [message('2')]);
        const run = { threadId: 't', runId: 'r1', userId: 'alice' };
        await variant.database.write((trx) => storage().deleteRun(trx, run));
        await storage().clearRun(run);
        expect(await texts()).toEqual(['2']);
        await written('r3', [message('3')]);
        expect(await seqs()).toEqual([2, 3]);
      });
    });
  });
}
