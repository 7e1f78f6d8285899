import { AIMessage, HumanMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
  ERROR,
  emptyCheckpoint,
  INTERRUPT,
  RESUME,
  uuid6,
} from '@langchain/langgraph-checkpoint';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addCheckpoints } from '../src/agents/checkpoints/add-checkpoints.ts';
import { CheckpointBatch } from '../src/agents/checkpoints/checkpoint-batch.ts';
import { checkpointMigrations } from '../src/agents/checkpoints/migrations.ts';
import { Checkpointer } from '../src/agents/checkpoints/saver.ts';
import type { CheckpointTables } from '../src/agents/checkpoints/tables.ts';
import type { Database } from '../src/platform/database/database.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { npmSuite } from './npm-checkpointer-suite.ts';

/** The behaviour of the checkpointer on every database. `open` returns an empty one. */
export function checkpointerConformance(name: string, open: () => Promise<Database<unknown>>): void {
  describe(name, () => {
    let opened: Database<unknown>;

    beforeAll(async () => {
      opened = await open();
      await migrate(opened, 'checkpointer', checkpointMigrations);
    });
    afterAll(() => opened.close());

    const clear = (): Promise<void> => clearTables(opened.withTables<CheckpointTables>());
    npmSuite('suite of LangChain', { open: async () => new Checkpointer(opened), close: clear });
    ownSuite('suite of ours', { opened: () => opened, open });
  });
}

const tables = ['checkpoints', 'checkpoint_writes', 'checkpoint_values'] as const;

async function clearTables(database: Database<CheckpointTables>): Promise<void> {
  await database.write(async (trx) => {
    for (const table of tables) await trx.deleteFrom(table).execute();
  });
}

/** The rows as they were before they had places. */
interface EarlierTables {
  checkpoints: Omit<CheckpointTables['checkpoints'], 'place'>;
}

function ownSuite(
  name: string,
  { opened, open }: { opened: () => Database<unknown>; open: () => Promise<Database<unknown>> },
): void {
  describe(name, () => {
    let database: Database<CheckpointTables>;
    let checkpointer: Checkpointer;
    let step = 0;

    beforeEach(async () => {
      database = opened().withTables<CheckpointTables>();
      checkpointer = new Checkpointer(opened());
      await clearTables(database);
    });

    const thread = (threadId: string, namespace = ''): RunnableConfig => ({
      configurable: { thread_id: threadId, checkpoint_ns: namespace },
    });
    const put = (
      config: RunnableConfig,
      values: Record<string, unknown>,
      { metadata = {}, versions = {} }: { metadata?: object; versions?: Checkpoint['channel_versions'] } = {},
    ): Promise<RunnableConfig> => {
      step += 1;
      const checkpoint = {
        ...emptyCheckpoint(),
        id: uuid6(step),
        channel_values: values,
        channel_versions: versions,
      };
      const known: CheckpointMetadata = { source: 'loop', step, parents: {} };
      return checkpointer.put(config, checkpoint, { ...known, ...metadata }, {});
    };
    const listed = async (
      config: RunnableConfig,
      options?: Parameters<Checkpointer['list']>[1],
    ): Promise<CheckpointTuple[]> => {
      const tuples: CheckpointTuple[] = [];
      for await (const tuple of checkpointer.list(config, options)) tuples.push(tuple);
      return tuples;
    };
    const idsOf = (tuples: CheckpointTuple[]): unknown[] => tuples.map(({ checkpoint }) => checkpoint.id);
    const idOf = (config: RunnableConfig): unknown => config.configurable?.checkpoint_id;
    const valuesOf = async (config: RunnableConfig): Promise<unknown> =>
      (await checkpointer.getTuple(config))?.checkpoint.channel_values;
    const storedValues = async (threadId: string): Promise<string[]> => {
      const rows = await database.read
        .selectFrom('checkpoint_values')
        .select('data')
        .where('thread_id', '=', threadId)
        .execute();
      return rows.map(({ data }) => Buffer.from(data).toString()).sort();
    };
    const count = async (table: keyof CheckpointTables, threadId: string): Promise<number> =>
      (await database.read.selectFrom(table).select('thread_id').where('thread_id', '=', threadId).execute())
        .length;

    it('reads what the checkpoints of a history have in common only once, over all its pages', async () => {
      const turns = Array.from(
        { length: 120 },
        (_, at) => new HumanMessage({ id: `m${at}`, content: `turn ${at}` }),
      );
      let config = thread('long');
      for (const at of turns.keys()) config = await put(config, { messages: turns.slice(0, at + 1) });
      const tuples = await listed(thread('long'));
      expect(tuples).toHaveLength(turns.length);
      const made = tuples.flatMap(({ checkpoint }) => checkpoint.channel_values.messages as HumanMessage[]);
      expect(made).toHaveLength((turns.length * (turns.length + 1)) / 2);
      expect(new Set(made).size).toBe(turns.length);
      const [one, other] = [await valuesOf(config), await valuesOf(config)] as { messages: unknown[] }[];
      expect(one).toEqual(other);
      expect(one?.messages[0]).not.toBe(other?.messages[0]);
    });

    describe('checkpoints whose ids do not ascend, because a clock was wrong,', () => {
      const withId = async (config: RunnableConfig, id: string, x = id): Promise<RunnableConfig> => {
        const made = { ...emptyCheckpoint(), id, channel_values: { x }, channel_versions: {} };
        return checkpointer.put(config, made, { source: 'loop', step: 0, parents: {} }, {});
      };
      const ahead = (n: number): string => `ffffffff-ffff-6fff-8000-${`${n}`.padStart(12, '0')}`;
      const right = (n: number): string => `1f000000-0000-6fff-8000-${`${n}`.padStart(12, '0')}`;
      const follow = async (config: RunnableConfig, ...ids: string[]): Promise<RunnableConfig> => {
        let last = config;
        for (const id of ids) last = await withId(last, id);
        return last;
      };

      it('are listed as they were written, and the thread goes on from the last one', async () => {
        const first = await follow(thread('t'), right(1));
        const ids = [ahead(1), ahead(2), right(2), right(5), right(4), ahead(0), ahead(3), right(6)];
        for (const [at, id] of ids.entries()) {
          await follow(
            at === 0 ? first : { configurable: { ...first.configurable, checkpoint_id: ids[at - 1] } },
            id,
          );
          expect(await valuesOf(thread('t'))).toEqual({ x: id });
        }
        const written = [right(1), ...ids];
        expect(idsOf(await listed(thread('t')))).toEqual(written.toReversed());
        expect(idsOf(await listed(thread('t'), { limit: 4 }))).toEqual(written.toReversed().slice(0, 4));
      });

      it('that begin another branch are newer than those of the first one', async () => {
        const root = await follow(thread('t'), right(1));
        await follow(root, ahead(1), ahead(2));
        await follow(root, right(2), right(3));
        expect(await valuesOf(thread('t'))).toEqual({ x: right(3) });
        expect(idsOf(await listed(thread('t')))).toEqual([right(3), right(2), ahead(2), ahead(1), right(1)]);
        await checkpointer.copyThread('t', 'copy');
        expect(idsOf(await listed(thread('copy')))).toEqual(idsOf(await listed(thread('t'))));
        expect(await checkpointer.prune('t', { keepLatest: 2 })).toBe(3);
        expect(idsOf(await listed(thread('t')))).toEqual([right(3), right(2)]);
        // The earlier checkpoints are gone, and their ids still count.
        await follow(thread('t'), ahead(0));
        expect(await valuesOf(thread('t'))).toEqual({ x: ahead(0) });
      });

      it('are read to the end in pages and in pieces, each once', async () => {
        const written = [right(1), ahead(1)];
        for (let n = 2; n < 140; n += 1) written.push(n % 3 === 0 ? ahead(n) : right(n));
        await follow(thread('t'), ...written);
        await follow(thread('t', 'sub'), ahead(999), right(1));
        await follow(thread('other'), ahead(999), right(1));
        const expected = written.toReversed();
        expect(idsOf(await listed(thread('t')))).toEqual(expected);
        const inPieces: unknown[] = [];
        let piece = await listed(thread('t'), { limit: 7 });
        while (piece.length > 0) {
          inPieces.push(...idsOf(piece));
          piece = await listed(thread('t'), { limit: 7, before: piece.at(-1)?.config ?? {} });
        }
        expect(inPieces).toEqual(expected);
      });

      it('stand as they were added within one unit, and again when one of them is stored again', async () => {
        const batch = new CheckpointBatch('t');
        const ids = [right(3), right(2), right(4), right(1)];
        let parent: RunnableConfig = thread('t');
        for (const id of ids) {
          const checkpoint = { ...emptyCheckpoint(), id };
          batch.addCheckpoint(parent, {
            checkpoint,
            metadata: { source: 'loop', step: 0, parents: {} },
            parent: {},
          });
          parent = { configurable: { ...thread('t').configurable, checkpoint_id: id } };
        }
        await database.write((trx) => addCheckpoints(trx, batch.rows));
        await database.write((trx) => addCheckpoints(trx, batch.rows));
        expect(idsOf(await listed(thread('t')))).toEqual(ids.toReversed());
        expect((await checkpointer.getTuple(thread('t')))?.checkpoint.id).toBe(right(1));
      });

      it('tell the progress of a run from its last one', async () => {
        const by = (config: RunnableConfig, number: number, id: string): Promise<RunnableConfig> =>
          checkpointer.put(
            { ...config, metadata: { run_id: 'r1' } },
            { ...emptyCheckpoint(), id },
            { source: 'loop', step: number, parents: {} },
            {},
          );
        await by(await by(await by(thread('t'), 1, right(1)), 2, ahead(1)), 3, right(2));
        expect((await checkpointer.progressOf('t', 'r1'))?.steps).toEqual(new Map([['', 3]]));
      });

      it('take nothing more on the disk while clocks are right', async () => {
        await follow(await put(thread('t'), {}), ahead(1), ahead(2));
        const rows = await database.read.selectFrom('checkpoints').select('place').execute();
        expect(rows).toEqual([{ place: null }, { place: null }, { place: null }]);
      });
    });

    it('places what a wrong clock had written before there were places', async () => {
      const earlier = await open();
      await migrate(earlier, 'checkpointer', checkpointMigrations.slice(0, 3));
      const row = (checkpoint_id: string, parent_checkpoint_id: string | null, thread_id = 't') => ({
        thread_id,
        checkpoint_ns: '',
        checkpoint_id,
        parent_checkpoint_id,
        run_id: null,
        checkpoint: JSON.stringify(emptyCheckpoint()),
        channels: '{}',
        metadata: '{}',
      });
      const rows = [row('2', null), row('9', '2'), row('3', '9'), row('4', '3'), row('2', null, 'right')];
      await earlier.withTables<EarlierTables>().write(async (trx) => {
        await trx.insertInto('checkpoints').values(rows).execute();
      });
      await migrate(earlier, 'checkpointer', checkpointMigrations);
      const reader = new Checkpointer(earlier);
      const found: unknown[] = [];
      for await (const { checkpoint } of reader.list(thread('t'))) found.push(checkpoint.id);
      expect(found).toEqual(['4', '3', '9', '2']);
      expect((await reader.getTuple(thread('t')))?.checkpoint.id).toBe('4');
      expect((await reader.getTuple(thread('right')))?.checkpoint.id).toBe('2');
      await earlier.close();
    });

    describe('values', () => {
      it('are stored once, however many checkpoints hold them', async () => {
        const first = await put(thread('t'), { title: 'same', count: 1 });
        const second = await put(first, { title: 'same', count: 2 });
        await put(second, { title: 'same', count: 1 });
        expect(await storedValues('t')).toEqual(['"same"', '1', '2']);
      });

      it('of a growing list need space only for the new elements', async () => {
        const messages = ['a', 'b', 'c'].map((id) => new HumanMessage({ id, content: `message ${id}` }));
        let config = thread('t');
        for (let length = 1; length <= 3; length += 1) {
          config = await put(
            config,
            { messages: messages.slice(0, length) },
            { versions: { messages: length } },
          );
        }
        expect(await storedValues('t')).toHaveLength(3);
        expect(await valuesOf(config)).toEqual({ messages });
      });

      it('are taken from the parent when the channel has the same version', async () => {
        const first = await put(thread('t'), { big: 'the value' }, { versions: { big: 1 } });
        const second = await put(first, { big: 'never looked at' }, { versions: { big: 1 } });
        expect(await valuesOf(second)).toEqual({ big: 'the value' });
      });

      it('of two branches from one checkpoint stay separate, although their versions are the same', async () => {
        const root = await put(thread('t'), { x: 'root' }, { versions: { x: 1 } });
        const [left, right] = [
          await put(root, { x: 'left' }, { versions: { x: 2 } }),
          await put(root, { x: 'right' }, { versions: { x: 2 } }),
        ];
        expect([await valuesOf(left), await valuesOf(right)]).toEqual([{ x: 'left' }, { x: 'right' }]);
      });

      it('are stored with a fork whose parent lacks them, as LangGraph creates it', async () => {
        const root = await put(thread('t'), { x: 1 }, { versions: { x: 1 } });
        const child = await put(root, { x: 2, y: 3 }, { versions: { x: 2, y: 1 } });
        const values = (await checkpointer.getTuple(child))?.checkpoint.channel_values ?? {};
        const fork = await put(root, values, { versions: { x: 2, y: 1 } });
        expect(await valuesOf(fork)).toEqual({ x: 2, y: 3 });
      });

      it('of one thread are not visible in another', async () => {
        await put(thread('t'), { x: 'same' });
        await put(thread('u'), { x: 'same' });
        await checkpointer.deleteThread('t');
        expect(await valuesOf(thread('u'))).toEqual({ x: 'same' });
      });

      it('with more elements than a statement has parameters are found again', async () => {
        const list = Array.from({ length: 1_500 }, (_, id) => ({ id }));
        expect(await valuesOf(await put(thread('t'), { list }))).toEqual({ list });
      });
    });

    describe('metadata', () => {
      it('includes what came with the run, except internal fields', async () => {
        const metadata = { run_id: 'r1', graph_id: 'g', thread_id: 't', __pregel_x: 1, langgraph_step: 2 };
        const config = await put({ ...thread('t'), metadata }, {});
        expect((await checkpointer.getTuple(config))?.metadata).toEqual({
          source: 'loop',
          step,
          parents: {},
          run_id: 'r1',
          graph_id: 'g',
        });
      });

      it('holds the id of the run once, is found by it, and is read as before from rows that hold it twice', async () => {
        const by = (runId: unknown): RunnableConfig => ({
          ...thread('t'),
          metadata: { run_id: runId, a: 1 },
        });
        const ids = [await put(by('r1'), {}), await put(by('r1'), {}), await put(by(7), {})].map(idOf);
        await put(by('r2'), {});
        await put(thread('t'), {});
        const earlier = JSON.stringify({ source: 'loop', step, parents: {}, run_id: 'r1', a: 1 });
        await database.write((trx) =>
          trx
            .updateTable('checkpoints')
            .set({ metadata: earlier })
            .where('checkpoint_id', '=', String(ids[0]))
            .execute(),
        );
        const found = await listed(thread('t'), { filter: { run_id: 'r1' } });
        expect(idsOf(found)).toEqual([ids[1], ids[0]]);
        for (const { metadata } of found)
          expect(metadata).toMatchObject({ source: 'loop', run_id: 'r1', a: 1 });
        expect(idsOf(await listed(thread('t'), { filter: { run_id: 7 } }))).toEqual([ids[2]]);
        const rows = await database.read.selectFrom('checkpoints').select(['run_id', 'metadata']).execute();
        expect(rows.filter(({ metadata }) => metadata.includes('r2'))).toEqual([]);
        expect(rows.filter(({ run_id }) => run_id === 'r2')).toHaveLength(1);
      });

      const strange = ['a.b', 'a"b', "a'b", '$', '$.x', 'x[0]', '__proto__', 'ключ', "' or 1=1 --", '#', ''];
      it.each(strange)('is found by the key %j, whatever the key contains', async (key) => {
        const metadata = Object.fromEntries([[key, 'here']]);
        const config = await put(thread('t'), {}, { metadata });
        await put(thread('t'), {}, { metadata: { other: 'here' } });
        expect(idsOf(await listed(thread('t'), { filter: metadata }))).toEqual([idOf(config)]);
        expect(await listed(thread('t'), { filter: Object.fromEntries([[key, 'elsewhere']]) })).toEqual([]);
      });

      it.each([
        ['text', 'a "quoted" text\n'],
        ['text that reads like a number', '1'],
        ['a number', 1],
        ['a fraction', 0.1],
        ['true', true],
        ['false', false],
        ['null', null],
        ['an object', { a: [1, { b: 'c' }] }],
        ['a list', ['x', 1]],
      ])('is found by %s', async (_title, value) => {
        const config = await put(thread('t'), {}, { metadata: { key: value } });
        for (const other of ['1 ', 2, { a: 1 }, 'true']) {
          await put(thread('t'), {}, { metadata: { key: other } });
        }
        expect(idsOf(await listed(thread('t'), { filter: { key: value } }))).toEqual([idOf(config)]);
      });

      it('with U+0000 in it does not get in the way of a search', async () => {
        const config = await put(thread('t'), {}, { metadata: { 'a\0': 'b\0', key: 'here' } });
        const [found] = await listed(thread('t'), { filter: { key: 'here' } });
        expect(found?.checkpoint.id).toBe(idOf(config));
        expect(found?.metadata).toMatchObject({ 'a\ufffd': 'b\ufffd' });
      });

      it('must match in all requested keys', async () => {
        const both = await put(thread('t'), {}, { metadata: { a: 1, b: 2 } });
        await put(thread('t'), {}, { metadata: { a: 1, b: 3 } });
        expect(idsOf(await listed(thread('t'), { filter: { a: 1, b: 2 } }))).toEqual([idOf(both)]);
      });
    });

    describe('a list', () => {
      it('is read to its end over many pages, the newest first', async () => {
        const configs: RunnableConfig[] = [];
        for (let index = 0; index < 120; index += 1) {
          configs.push(await put(thread(`t${index % 3}`, index % 2 === 0 ? '' : 'sub'), { index }));
        }
        const expected = configs.map(idOf).reverse();
        expect(idsOf(await listed({}))).toEqual(expected);
        expect(idsOf(await listed({}, { limit: 70 }))).toEqual(expected.slice(0, 70));
      });

      it('ends before the named checkpoint', async () => {
        const configs = [await put(thread('t'), {}), await put(thread('t'), {}), await put(thread('t'), {})];
        const before = configs[1] as RunnableConfig;
        expect(idsOf(await listed(thread('t'), { before }))).toEqual([idOf(configs[0] as RunnableConfig)]);
      });

      it('is empty for a limit of zero', async () => {
        await put(thread('t'), {});
        expect(await listed(thread('t'), { limit: 0 })).toEqual([]);
      });
    });

    describe('writes', () => {
      it('of a task do not change when it writes again, except those of LangGraph itself', async () => {
        const config = await put(thread('t'), {});
        for (const value of ['first', 'second']) {
          await checkpointer.putWrites(
            config,
            [
              ['x', value],
              [INTERRUPT, value],
            ],
            'task',
          );
        }
        expect((await checkpointer.getTuple(config))?.pendingWrites).toEqual([
          ['task', INTERRUPT, 'second'],
          ['task', 'x', 'first'],
        ]);
      });

      it('share their values with the checkpoint that results from them', async () => {
        const message = new AIMessage({ id: 'm', content: 'hello' });
        const config = await put(thread('t'), {});
        await checkpointer.putWrites(config, [['messages', [message]]], 'task');
        await put(config, { messages: [message] });
        expect(await storedValues('t')).toHaveLength(1);
      });

      it('may be stored before the checkpoint that they belong to', async () => {
        const config = { configurable: { thread_id: 't', checkpoint_ns: '', checkpoint_id: 'late' } };
        await checkpointer.putWrites(config, [['x', 1]], 'task');
        const known: CheckpointMetadata = { source: 'loop', step: 0, parents: {} };
        await checkpointer.put(thread('t'), { ...emptyCheckpoint(), id: 'late' }, known, {});
        expect((await checkpointer.getTuple(config))?.pendingWrites).toEqual([['task', 'x', 1]]);
      });
    });

    describe('a rollback', () => {
      it('restores the state before the run, in all namespaces, and deletes what only the run had', async () => {
        const before = await put({ ...thread('t'), metadata: { run_id: 'r1' } }, { x: 'before' });
        await checkpointer.putWrites({ ...before, metadata: { run_id: 'r1' } }, [['x', 'kept']], 'task1');
        await checkpointer.putWrites({ ...before, metadata: { run_id: 'r2' } }, [['x', 'gone']], 'task2');
        const during = await put({ ...before, metadata: { run_id: 'r2' } }, { x: 'during' });
        await checkpointer.putWrites({ ...during, metadata: { run_id: 'r2' } }, [['x', 'gone too']], 'task3');
        await put({ ...thread('t', 'sub'), metadata: { run_id: 'r2' } }, { x: 'in a subgraph' });

        await checkpointer.deleteRun('t', 'r2');
        const tuple = await checkpointer.getTuple(thread('t'));
        expect(tuple?.checkpoint.channel_values).toEqual({ x: 'before' });
        expect(tuple?.pendingWrites).toEqual([['task1', 'x', 'kept']]);
        expect(await listed(thread('t', 'sub'))).toEqual([]);
        expect(await storedValues('t')).toEqual(['"before"', '"kept"']);
      });

      it('restores the question that the run answered', async () => {
        const asked = await put({ ...thread('t'), metadata: { run_id: 'r1' } }, {});
        const by = (runId: string): RunnableConfig => ({ ...asked, metadata: { run_id: runId } });
        await checkpointer.putWrites(by('r1'), [[INTERRUPT, 'first question']], 'task');
        for (const answer of ['an answer', 'another answer']) {
          await checkpointer.putWrites(
            by('r2'),
            [
              [INTERRUPT, 'next question'],
              [RESUME, answer],
            ],
            'task',
          );
        }
        await checkpointer.prune('t', { keepLatest: 1 });
        await checkpointer.deleteRun('t', 'r2');
        expect((await checkpointer.getTuple(asked))?.pendingWrites).toEqual([
          ['task', INTERRUPT, 'first question'],
        ]);
        await checkpointer.deleteRun('t', 'r1');
        expect(await storedValues('t')).toEqual([]);
      });

      it('of an unknown run changes nothing', async () => {
        await put({ ...thread('t'), metadata: { run_id: 'r1' } }, { x: 1 });
        await checkpointer.deleteRun('t', 'r2');
        await checkpointer.deleteRun('other', 'r1');
        expect(await valuesOf(thread('t'))).toEqual({ x: 1 });
      });
    });

    describe('a batch', () => {
      const row = (
        values: Record<string, unknown>,
      ): { checkpoint: Checkpoint; metadata: CheckpointMetadata } => {
        step += 1;
        const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, step]));
        const checkpoint = {
          ...emptyCheckpoint(),
          id: uuid6(step),
          channel_values: values,
          channel_versions: versions,
        };
        return { checkpoint, metadata: { source: 'loop', step, parents: {} } };
      };

      it('stores what single puts would store, with the state at the time when it was added', async () => {
        const batch = new CheckpointBatch('t');
        const state = { messages: [{ id: 1 }] };
        const first = row(state);
        const parent = batch.addCheckpoint(thread('t'), { ...first, parent: {} });
        const config = {
          configurable: { thread_id: 't', checkpoint_ns: '', checkpoint_id: first.checkpoint.id },
        };
        batch.addWrites(
          config,
          [
            ['x', 'kept'],
            [INTERRUPT, 'replaced'],
          ],
          'task',
        );
        batch.addWrites(
          config,
          [
            ['x', 'too late'],
            [INTERRUPT, 'newest'],
          ],
          'task',
        );
        batch.addCheckpoint(config, { ...row({ messages: [{ id: 1 }, { id: 2 }] }), parent });
        state.messages.push({ id: 3 });
        await database.write((trx) => addCheckpoints(trx, batch.rows));

        const [newest, oldest] = await listed(thread('t'));
        expect(oldest?.checkpoint.channel_values).toEqual({ messages: [{ id: 1 }] });
        expect(oldest?.pendingWrites).toEqual([
          ['task', INTERRUPT, 'newest'],
          ['task', 'x', 'kept'],
        ]);
        expect(newest?.checkpoint.channel_values).toEqual({ messages: [{ id: 1 }, { id: 2 }] });
        expect(newest?.parentConfig).toEqual(oldest?.config);
      });

      it('is not stored when its unit fails', async () => {
        const batch = new CheckpointBatch('t');
        batch.addCheckpoint(thread('t'), { ...row({ x: 1 }), parent: {} });
        const failing = database.write(async (trx) => {
          await addCheckpoints(trx, batch.rows);
          throw new Error('no');
        });
        await expect(failing).rejects.toThrow('no');
        expect(await listed(thread('t'))).toEqual([]);
      });
    });

    describe('the progress of a run', () => {
      const by = (config: RunnableConfig, runId: string): RunnableConfig => ({
        ...config,
        metadata: { run_id: runId },
      });

      it('is the position of its checkpoints, and the tasks that need not run again', async () => {
        const before = await put(by(thread('t'), 'r1'), {});
        const first = await put(by(before, 'r2'), {});
        const newest = await put(by(first, 'r2'), {});
        await put(by(thread('t', 'sub'), 'r2'), {});
        await checkpointer.putWrites(by(newest, 'r2'), [['x', 1]], 'done');
        await checkpointer.putWrites(
          by(newest, 'r2'),
          [
            ['x', 1],
            [ERROR, { message: 'no' }],
          ],
          'failed',
        );
        await checkpointer.putWrites(by(newest, 'r2'), [[RESUME, ['yes']]], 'answered');
        expect(await checkpointer.progressOf('t', 'r2')).toEqual({
          steps: new Map([
            ['', step - 1],
            ['sub', step],
          ]),
          finishedTasks: new Set(['done']),
        });
      });

      it('does not count anything that was stored before its base checkpoint', async () => {
        const base = await put(by(thread('t'), 'r1'), {});
        const known = step;
        const lost = { configurable: { ...base.configurable, checkpoint_id: uuid6(known + 1_000) } };
        const parents = (config: RunnableConfig): object => ({ parents: { '': idOf(config) } });
        await put(by(thread('t', 'kept:1'), 'r2'), {}, { metadata: parents(base) });
        const inside = await put(by(thread('t', 'lost:1'), 'r2'), {}, { metadata: parents(lost) });
        await checkpointer.putWrites(by(base, 'r2'), [['x', 1]], 'kept');
        await checkpointer.putWrites(by(lost, 'r2'), [['x', 1]], 'lost');
        await checkpointer.putWrites(by(inside, 'r2'), [['x', 1]], 'lost inside');
        expect(await checkpointer.progressOf('t', 'r2')).toEqual({
          steps: new Map([['kept:1', known + 1]]),
          finishedTasks: new Set(['kept']),
        });
      });

      it('is null when only a subgraph has stored anything', async () => {
        await put(by(thread('t', 'sub:1'), 'r2'), {}, { metadata: { parents: {} } });
        expect(await checkpointer.progressOf('t', 'r2')).toBeNull();
      });

      it('is null for a run that has stored nothing', async () => {
        await put(by(thread('t'), 'r1'), {});
        expect(await checkpointer.progressOf('t', 'r2')).toBeNull();
      });
    });

    describe('a copy', () => {
      it('has the whole history and is independent of the original', async () => {
        const first = await put(thread('t'), { messages: [{ id: 1 }] });
        await checkpointer.putWrites(first, [['x', 'pending']], 'task');
        await put(first, { messages: [{ id: 1 }, { id: 2 }] });
        const history = await listed(thread('t'));

        await checkpointer.copyThread('t', 'copy');
        await checkpointer.deleteThread('t');
        const expected = JSON.parse(
          JSON.stringify(history).replaceAll('"thread_id":"t"', '"thread_id":"copy"'),
        );
        expect(await listed(thread('copy'))).toEqual(expected);
      });

      it('is refused if there are already checkpoints', async () => {
        await put(thread('t'), { x: 1 });
        await put(thread('u'), { x: 2 });
        await expect(checkpointer.copyThread('t', 'u')).rejects.toThrow(
          'The thread u has checkpoints already',
        );
        expect(await valuesOf(thread('u'))).toEqual({ x: 2 });
      });
    });

    describe('pruning', () => {
      it('keeps the newest of each namespace, with their writes and values', async () => {
        let config = thread('t');
        for (let index = 0; index < 5; index += 1) {
          config = await put(config, { index });
          await checkpointer.putWrites(config, [['x', `write ${index}`]], 'task');
        }
        const sub = await put(thread('t', 'sub'), { index: 'sub' });
        expect(await checkpointer.prune('t', { keepLatest: 2 })).toBe(3);
        expect(await listed(thread('t', ''))).toHaveLength(2);
        expect(await valuesOf(config)).toEqual({ index: 4 });
        expect(await valuesOf(sub)).toEqual({ index: 'sub' });
        expect(await storedValues('t')).toEqual(['"sub"', '"write 3"', '"write 4"', '3', '4']);
        expect(await checkpointer.prune('t', { keepLatest: 2 })).toBe(0);
      });
    });

    it('removes everything of a deleted thread', async () => {
      const config = await put(thread('t'), { x: 1 });
      await checkpointer.putWrites(config, [['x', 2]], 'task');
      await checkpointer.deleteThread('t');
      for (const table of tables) {
        expect(await count(table, 't')).toBe(0);
      }
    });

    it('keeps every value while threads are written, pruned and read at the same time', async () => {
      const ids = ['a', 'b', 'c'];
      const work = async (threadId: string): Promise<void> => {
        let config = thread(threadId);
        for (let index = 0; index < 15; index += 1) {
          config = await put(config, { list: [{ index }, { same: true }], index }, { versions: { index } });
          await checkpointer.putWrites(config, [['x', { index }]], 'task');
          await Promise.all([
            checkpointer.prune(threadId, { keepLatest: 1 }),
            put(config, { list: [{ index }, { same: true }], index }, { versions: { index } }),
            checkpointer.getTuple(thread(threadId)),
          ]);
        }
      };
      await Promise.all(ids.map(work));
      for (const id of ids) {
        const tuples = await listed(thread(id));
        expect(tuples.length).toBe(await count('checkpoints', id));
        for (const tuple of tuples) {
          expect(tuple.checkpoint.channel_values).toMatchObject({ list: [{}, { same: true }] });
        }
      }
    });

    it.each([
      ['a thread that is no text', { thread_id: 5 }, 'configurable.thread_id must be text'],
      ['U+0000 in a name', { thread_id: 'a\0' }, 'configurable.thread_id must be text without U+0000'],
    ])('refuses %s', async (_title, configurable, message) => {
      await expect(put({ configurable }, {})).rejects.toThrow(message);
      await expect(checkpointer.getTuple({ configurable })).rejects.toThrow(message);
    });
  });
}
