import type { CellState, retriedStates, Sweep } from '@switchyard/contract/dispatch/sweep';
import { type ExpressionBuilder, type RawBuilder, type Selectable, sql } from 'kysely';
import { AppError } from '../../lib/app-error.ts';
import { type Owner, requireOwner } from '../../lib/owner.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { isOneOf } from '../../platform/database/dialect.ts';
import type { UnitPart } from '../../platform/database/unit-part.ts';
import type { DispatchTables, SweepCellTable, SweepTable, TaskRow } from '../tables.ts';
import { wasCancelled } from '../tasks/task-list-store.ts';

export type SweepRow = Selectable<SweepTable>;
export type CellRow = Selectable<SweepCellTable>;
export type CellWithTask = CellRow &
  Pick<TaskRow, 'status' | 'progress' | 'cancelRequested' | 'result'> & { taskError: string | null };
type RetriedState = (typeof retriedStates)[number];
type Trx = WriteTransaction<DispatchTables>;

/** Thrown in the unit of a task whose cell does not wait for one any more, so that nothing of the task is kept. */
export class CellTaken extends Error {}

/** Rows in one statement: each has six values, and a statement of SQLite takes 32,766. */
const rowsInStatement = 1_000;

/** Sweeps belong to their user; even an administrator sees only their own. */
export class SweepStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /** Returns the sweep that has the same owner and key, if there is one; nothing is written then. */
  async insert(
    row: SweepRow,
    { cells, max, alongside }: { cells: readonly string[]; max: number; alongside: UnitPart },
  ): Promise<SweepRow | null> {
    return this.#database.write(async (trx) => {
      const inserted = await trx
        .insertInto('sweeps')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if (inserted.numInsertedOrUpdatedRows !== 1n) {
        return trx
          .selectFrom('sweeps')
          .selectAll()
          .where('owner', '=', row.owner)
          .where('idempotencyKey', '=', row.idempotencyKey)
          .executeTakeFirstOrThrow();
      }
      if ((await countOf(trx, row.owner)) > max) throw new AppError('sweep_limit');
      const rows = cells.map((values, cell) => ({ ...newCell, sweepId: row.id, cell, values }));
      for (let start = 0; start < rows.length; start += rowsInStatement)
        await trx
          .insertInto('sweep_cells')
          .values(rows.slice(start, start + rowsInStatement))
          .execute();
      await alongside(trx as unknown as WriteTransaction<unknown>);
      return null;
    });
  }

  async byKey(owner: string, idempotencyKey: string): Promise<SweepRow | undefined> {
    return this.#database.read
      .selectFrom('sweeps')
      .selectAll()
      .where('owner', '=', owner)
      .where('idempotencyKey', '=', idempotencyKey)
      .executeTakeFirst();
  }

  async get(owner: Owner, sweepId: string): Promise<SweepRow | undefined> {
    return this.#of(owner).selectAll().where('id', '=', sweepId).executeTakeFirst();
  }

  async byId(sweepId: string): Promise<SweepRow | undefined> {
    return this.#database.read.selectFrom('sweeps').selectAll().where('id', '=', sweepId).executeTakeFirst();
  }

  async list(
    owner: Owner,
    { workflowId, limit, offset }: { workflowId: string | undefined; limit: number; offset: number },
  ): Promise<{ total: number; rows: SweepRow[] }> {
    const query = this.#of(owner).$if(workflowId !== undefined, (found) =>
      found.where('workflowId', '=', workflowId ?? ''),
    );
    const [rows, { total }] = await Promise.all([
      query.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute(),
      query.select((select) => select.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    ]);
    return { total: Number(total), rows };
  }

  async countOf(owner: string): Promise<number> {
    return countOf(this.#database.read, owner);
  }

  /** Returns false when the owner has no such sweep. */
  async rename(owner: Owner, sweepId: string, name: string): Promise<boolean> {
    const user = userOf(owner);
    const renamed = await this.#database.write((trx) =>
      trx
        .updateTable('sweeps')
        .set({ name })
        .where('owner', '=', user)
        .where('id', '=', sweepId)
        .executeTakeFirst(),
    );
    return renamed.numUpdatedRows === 1n;
  }

  /** The number of cells in each state, for each of these sweeps. */
  async counts(sweepIds: readonly string[]): Promise<Map<string, Sweep['counts']>> {
    const counted = new Map(sweepIds.map((id) => [id, { ...noCells }]));
    if (sweepIds.length === 0) return counted;
    const rows = await this.#withTasks()
      .where(isOneOf(this.#database.dialect, { column: 'sweep_cells.sweepId', values: sweepIds }))
      .select((select) => [
        'sweep_cells.sweepId',
        'sweep_cells.state',
        'tasks.status',
        sql<number>`case when ${wasCancelled('tasks.error', this.#database.dialect)} then 1 else 0 end`.as(
          'cancelled',
        ),
        select.fn.countAll<number>().as('count'),
      ])
      .groupBy(['sweep_cells.sweepId', 'sweep_cells.state', 'tasks.status', 'cancelled'])
      .execute();
    for (const { sweepId, state, status, cancelled, count } of rows) {
      const shown: CellState =
        state !== 'made' ? state : Number(cancelled) === 1 ? 'cancelled' : (status ?? 'waiting');
      const counts = counted.get(sweepId);
      if (counts) counts[shown] += Number(count);
    }
    return counted;
  }

  async cells(sweepId: string, { from, limit }: { from: number; limit: number }): Promise<CellWithTask[]> {
    const rows = await this.#withTasks()
      .selectAll('sweep_cells')
      .select([
        'tasks.status',
        'tasks.progress',
        'tasks.cancelRequested',
        'tasks.result',
        'tasks.error as taskError',
      ])
      .where('sweep_cells.sweepId', '=', sweepId)
      .where('cell', '>=', from)
      .orderBy('cell')
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      ...row,
      status: row.status ?? 'pending',
      progress: row.progress ?? 0,
      cancelRequested: row.cancelRequested ?? 0,
    }));
  }

  /** Those of these files that still exist. */
  async existing(fileIds: readonly string[]): Promise<Set<string>> {
    if (fileIds.length === 0) return new Set();
    const rows = await this.#database.read
      .selectFrom('files')
      .select('id')
      .where(isOneOf(this.#database.dialect, { column: 'id', values: fileIds }))
      .execute();
    return new Set(rows.map(({ id }) => id));
  }

  /** Cells that wait for their task, in their order. */
  async waiting(sweepId: string, { after, limit }: { after: number; limit: number }): Promise<CellRow[]> {
    return this.#database.read
      .selectFrom('sweep_cells')
      .selectAll()
      .where('sweepId', '=', sweepId)
      .where('state', '=', 'waiting')
      .where('cell', '>', after)
      .orderBy('cell')
      .limit(limit)
      .execute();
  }

  /** Part of the unit that makes the task. Throws when the cell does not wait any more, or is deleted. */
  async noteTask(
    trx: Trx,
    { sweepId, cell }: Pick<CellRow, 'sweepId' | 'cell'>,
    taskId: string,
  ): Promise<void> {
    const noted = await waitingCell(trx, { sweepId, cell }).set({ state: 'made', taskId }).executeTakeFirst();
    if (noted.numUpdatedRows !== 1n) throw new CellTaken();
  }

  async refuse(cell: Pick<CellRow, 'sweepId' | 'cell'>, error: string): Promise<void> {
    await this.#database.write((trx) => waitingCell(trx, cell).set({ state: 'refused', error }).execute());
  }

  async setWait(sweepId: string, waitsFor: string | null): Promise<void> {
    await this.#database.write((trx) =>
      trx.updateTable('sweeps').set({ waitsFor }).where('id', '=', sweepId).execute(),
    );
  }

  async openIds(): Promise<string[]> {
    const rows = await this.#database.read
      .selectFrom('sweeps')
      .select('id')
      .where('isOpen', '=', 1)
      .execute();
    return rows.map(({ id }) => id);
  }

  /** A sweep whose cells were made to wait again meanwhile stays open. */
  async close(sweepId: string): Promise<void> {
    await this.#database.write((trx) =>
      trx
        .updateTable('sweeps')
        .set({ isOpen: 0, waitsFor: null })
        .where('id', '=', sweepId)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('sweep_cells')
                .select('cell')
                .where('sweepId', '=', sweepId)
                .where('state', '=', 'waiting'),
            ),
          ),
        )
        .execute(),
    );
  }

  /**
   * Lets no more tasks be made. `alongside` gets the time of the newest one that was: cells that are run again later have tasks of
   * their own.
   */
  async stop(sweepId: string, alongside: (madeBy: string) => UnitPart): Promise<void> {
    await this.#database.write(async (trx) => {
      const waiting = trx
        .updateTable('sweep_cells')
        .where('sweepId', '=', sweepId)
        .where('state', '=', 'waiting');
      await waiting.set({ state: 'stopped' }).execute();
      await trx.updateTable('sweeps').set({ waitsFor: null }).where('id', '=', sweepId).execute();
      const { madeBy } = await trx
        .selectFrom('sweep_cells')
        .innerJoin('tasks', 'tasks.id', 'sweep_cells.taskId')
        .select((select) => select.fn.max('tasks.createdAt').as('madeBy'))
        .where('sweep_cells.sweepId', '=', sweepId)
        .executeTakeFirstOrThrow();
      await alongside(madeBy ?? '')(trx as unknown as WriteTransaction<unknown>);
    });
  }

  /** The tasks of a sweep that were made by then and have not ended. */
  async openTaskIds(sweepId: string, madeBy: string): Promise<string[]> {
    const rows = await this.#withTasks()
      .select('tasks.id')
      .where('sweep_cells.sweepId', '=', sweepId)
      .where('tasks.status', 'in', ['pending', 'running'])
      .where('tasks.createdAt', '<=', madeBy)
      .orderBy('cell')
      .execute();
    return rows.flatMap(({ id }) => id ?? []);
  }

  /** Lets cells in these states wait for a task again. */
  async reopen(sweepId: string, states: readonly RetriedState[], alongside: UnitPart): Promise<void> {
    const isCancelled = wasCancelled('tasks.error', this.#database.dialect);
    await this.#database.write(async (trx) => {
      await trx
        .updateTable('sweep_cells')
        .set({ state: 'waiting', taskId: null, error: null })
        .where('sweepId', '=', sweepId)
        .where((cell) => cell.or(states.map((state) => isIn(cell, state, isCancelled))))
        .execute();
      await trx.updateTable('sweeps').set({ isOpen: 1 }).where('id', '=', sweepId).execute();
      await alongside(trx as unknown as WriteTransaction<unknown>);
    });
  }

  async delete(owner: Owner, sweepId: string): Promise<boolean> {
    const user = userOf(owner);
    return this.#database.write(async (trx) => {
      const gone = await trx
        .deleteFrom('sweeps')
        .where('owner', '=', user)
        .where('id', '=', sweepId)
        .executeTakeFirst();
      if (gone.numDeletedRows === 0n) return false;
      await trx.deleteFrom('sweep_cells').where('sweepId', '=', sweepId).execute();
      return true;
    });
  }

  #of(owner: Owner) {
    return this.#database.read.selectFrom('sweeps').where('owner', '=', userOf(owner));
  }

  #withTasks() {
    return this.#database.read.selectFrom('sweep_cells').leftJoin('tasks', 'tasks.id', 'sweep_cells.taskId');
  }
}

const newCell = { state: 'waiting', taskId: null, error: null } as const;

const noCells: Sweep['counts'] = {
  waiting: 0,
  refused: 0,
  stopped: 0,
  pending: 0,
  running: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
};

async function countOf(database: Pick<Trx, 'selectFrom'>, owner: string): Promise<number> {
  const { count } = await database
    .selectFrom('sweeps')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('owner', '=', owner)
    .executeTakeFirstOrThrow();
  return Number(count);
}

function waitingCell(trx: Trx, { sweepId, cell }: Pick<CellRow, 'sweepId' | 'cell'>) {
  return trx
    .updateTable('sweep_cells')
    .where('sweepId', '=', sweepId)
    .where('cell', '=', cell)
    .where('state', '=', 'waiting');
}

/** True for a cell that shows this state. */
function isIn(
  cell: ExpressionBuilder<DispatchTables, 'sweep_cells'>,
  state: RetriedState,
  isCancelled: RawBuilder<boolean>,
) {
  if (state === 'refused' || state === 'stopped') return cell('state', '=', state);
  return cell.exists(
    cell
      .selectFrom('tasks')
      .select('tasks.id')
      .whereRef('tasks.id', '=', 'sweep_cells.taskId')
      .where('tasks.status', '=', 'failed')
      .where(state === 'cancelled' ? isCancelled : sql<boolean>`not (${isCancelled})`),
  );
}

function userOf(owner: Owner): string {
  const checked = requireOwner(owner);
  if ('user' in checked) return checked.user;
  if ('admin' in checked) return checked.admin;
  throw new Error('Sweeps are read for their user.');
}
