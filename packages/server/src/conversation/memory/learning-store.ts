import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import type { ConversationTables, MemoryChangeTable, MemoryTurnTable } from '../tables.ts';
import type { LearnedChange } from './learned-facts.ts';
import type { MemoryKey } from './memory-files.ts';
import type { SpokenTurn } from './spoken-turn.ts';

type Trx = WriteTransaction<ConversationTables>;

/** The unit of learning: the turns that one user had with one agent in one thread. */
export interface TurnKey extends MemoryKey {
  threadId: string;
}

export interface KeptTurn {
  runId: string;
  turn: SpokenTurn;
  at: string;
}

/** The limit for a thread that nothing can be learned from for a long time, for example while its model is down. */
const maxTurns = 20;

/** The turns and changes that wait to be learned, as rows. */
export class LearningStore {
  readonly #database: Database<ConversationTables>;

  constructor(database: Database<ConversationTables>) {
    this.#database = database;
  }

  /** Part of the unit that ends the run. Returns the time since when turns wait under the key. */
  async add(trx: Trx, key: TurnKey, { runId, turn, at }: KeptTurn): Promise<string> {
    const row = { ...columnsOf(key), run_id: runId, turn: JSON.stringify(turn), created_at: at };
    await trx
      .insertInto('memory_turns')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['thread_id', 'user_id', 'agent', 'run_id'])
          .doUpdateSet({ turn: row.turn, created_at: at }),
      )
      .execute();
    const newest = await trx
      .selectFrom('memory_turns')
      .select(['run_id', 'created_at'])
      .where((row) => row.and(columnsOf(key)))
      .orderBy('created_at', 'desc')
      .orderBy('run_id', 'desc')
      .limit(maxTurns + 1)
      .execute();
    const surplus = newest[maxTurns];
    if (surplus) await deleteTurns(trx, key, [surplus.run_id]);
    return newest[Math.min(newest.length, maxTurns) - 1]?.created_at ?? at;
  }

  /** Oldest first. */
  async turns(key: TurnKey): Promise<KeptTurn[]> {
    const rows = await this.#database.read
      .selectFrom('memory_turns')
      .selectAll()
      .where((row) => row.and(columnsOf(key)))
      .orderBy('created_at')
      .orderBy('run_id')
      .execute();
    return rows.map(({ run_id, turn, created_at }) => ({
      runId: run_id,
      turn: JSON.parse(turn) as SpokenTurn,
      at: created_at,
    }));
  }

  /**
   * Replaces the turns by what was learned from them. Returns false when the turns are gone: then nothing may be learned from
   * them.
   */
  async replace(
    key: TurnKey,
    { turns, change, at }: { turns: readonly KeptTurn[]; change: LearnedChange; at: string },
  ): Promise<boolean> {
    return this.#database.write(async (trx) => {
      const deleted = await deleteTurns(trx, key, runIdsOf(turns));
      if (deleted === 0) return false;
      if (deleted < turns.length)
        throw new Error('Some of what was learned from has been deleted meanwhile.');
      if (change.facts.length + change.outdated.length === 0) return true;
      const row = { ...columnsOf(key), change: JSON.stringify(change), created_at: at };
      await trx.insertInto('memory_changes').values(row).execute();
      return true;
    });
  }

  async dropTurns(key: TurnKey, turns: readonly KeptTurn[]): Promise<void> {
    await this.#database.write((trx) => deleteTurns(trx, key, runIdsOf(turns)));
  }

  async change(key: TurnKey): Promise<LearnedChange | null> {
    const row = await this.#database.read
      .selectFrom('memory_changes')
      .select('change')
      .where((row) => row.and(columnsOf(key)))
      .executeTakeFirst();
    return row ? (JSON.parse(row.change) as LearnedChange) : null;
  }

  async dropChange(key: TurnKey): Promise<void> {
    await this.#database.write((trx) =>
      trx
        .deleteFrom('memory_changes')
        .where((row) => row.and(columnsOf(key)))
        .execute(),
    );
  }

  /** Everything that waits for one memory, from any thread. */
  async dropOf({ userId, agent }: MemoryKey): Promise<void> {
    const columns = { user_id: userId, agent: agent ?? '' };
    await this.#database.write(async (trx) => {
      await trx
        .deleteFrom('memory_turns')
        .where((row) => row.and(columns))
        .execute();
      await trx
        .deleteFrom('memory_changes')
        .where((row) => row.and(columns))
        .execute();
    });
  }

  async dropOlderThan(at: string): Promise<void> {
    await this.#database.write(async (trx) => {
      await trx.deleteFrom('memory_turns').where('created_at', '<', at).execute();
      await trx.deleteFrom('memory_changes').where('created_at', '<', at).execute();
    });
  }
}

/** Part of the unit that deletes a thread. */
export async function forgetTurnsOfThread(trx: Trx, threadId: string): Promise<void> {
  await trx.deleteFrom('memory_turns').where('thread_id', '=', threadId).execute();
  await trx.deleteFrom('memory_changes').where('thread_id', '=', threadId).execute();
}

/** Part of the unit that removes a user's data. */
export async function forgetTurnsOfUser(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('memory_turns').where('user_id', '=', userId).execute();
  await trx.deleteFrom('memory_changes').where('user_id', '=', userId).execute();
}

/** Part of the unit that deletes a run. */
export async function forgetTurnOfRun(
  trx: Trx,
  { threadId, runId }: { threadId: string; runId: string },
): Promise<void> {
  await trx
    .deleteFrom('memory_turns')
    .where('thread_id', '=', threadId)
    .where('run_id', '=', runId)
    .execute();
}

async function deleteTurns(trx: Trx, key: TurnKey, runIds: readonly string[]): Promise<number> {
  const deleted = await trx
    .deleteFrom('memory_turns')
    .where((row) => row.and(columnsOf(key)))
    .where('run_id', 'in', [...runIds])
    .returning('run_id')
    .execute();
  return deleted.length;
}

function runIdsOf(turns: readonly KeptTurn[]): string[] {
  return turns.map(({ runId }) => runId);
}

function columnsOf({
  userId,
  threadId,
  agent,
}: TurnKey): Pick<MemoryTurnTable & MemoryChangeTable, 'thread_id' | 'user_id' | 'agent'> {
  return { thread_id: threadId, user_id: userId, agent: agent ?? '' };
}
