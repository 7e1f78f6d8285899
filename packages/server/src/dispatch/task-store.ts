import type { TaskPhase } from '@switchyard/contract/dispatch/task';
import {
  type Insertable,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  sql,
  type Transaction,
  type Updateable,
} from 'kysely';
import { type Owner, requireOwner } from '../lib/owner.ts';
import type { Database } from '../platform/database/database.ts';
import type { DispatchTables, TaskAttemptTable, TaskInputTable, TaskTable } from './tables.ts';

export type TaskRow = Selectable<TaskTable>;
export type AttemptRow = Selectable<TaskAttemptTable>;
type Trx = Transaction<DispatchTables>;

export interface NewTask {
  row: Insertable<TaskTable>;
  input: Insertable<TaskInputTable>;
  fileIds: readonly string[];
  idempotency: { key: string; bodyHash: string } | null;
}

/** What the one write before the POST to a worker holds. */
export interface Claim {
  taskId: string;
  /** The attempt that the task stands at; the claim makes it one more. */
  expectedAttempt: number;
  instanceId: string;
  promptId: string;
  clientId: string;
  token: number;
  at: string;
}

/** Names the attempt that a runner may write. A row that moved on, or whose lease did, matches none. */
export interface AttemptFence {
  taskId: string;
  attempt: number;
  token: number;
}

export interface TaskPage {
  status?: TaskRow['status'] | undefined;
  instanceId?: string | undefined;
  owner?: string | undefined;
  tag?: string | undefined;
  text?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

/** Beyond this many rows a filtered list says "at least" instead of counting on. */
export const countCeiling = 10_000;

export class TaskStore {
  private readonly database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.database = database;
  }

  /** Answers the id of an earlier task when the same key was used before, and whether its body was the same. */
  async insert(
    owner: Owner,
    task: NewTask,
  ): Promise<{ inserted: true } | { inserted: false; taskId: string; sameBody: boolean }> {
    requireOwner(owner);
    return this.database.write(async (trx) => {
      if (task.idempotency) {
        const { key, bodyHash } = task.idempotency;
        const taken = await trx
          .insertInto('idempotency_keys')
          .values({
            owner: task.row.owner,
            key,
            bodyHash,
            taskId: task.row.id,
            createdAt: task.row.createdAt,
          })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        if (taken.numInsertedOrUpdatedRows === 0n) {
          const earlier = await trx
            .selectFrom('idempotency_keys')
            .select(['taskId', 'bodyHash'])
            .where('owner', '=', task.row.owner)
            .where('key', '=', key)
            .executeTakeFirstOrThrow();
          return { inserted: false, taskId: earlier.taskId, sameBody: earlier.bodyHash === bodyHash };
        }
      }
      await trx.insertInto('tasks').values(task.row).execute();
      await trx.insertInto('task_inputs').values(task.input).execute();
      if (task.fileIds.length > 0) {
        await trx
          .insertInto('task_files')
          .values(task.fileIds.map((fileId) => ({ taskId: task.row.id, fileId })))
          .execute();
      }
      await addToCount(trx, task.row.owner, task.row.status, 1);
      return { inserted: true };
    });
  }

  async get(owner: Owner, taskId: string): Promise<TaskRow | undefined> {
    return visibleTo(owner, this.database.read.selectFrom('tasks'))
      .selectAll('tasks')
      .where('tasks.id', '=', taskId)
      .executeTakeFirst();
  }

  async input(taskId: string): Promise<Selectable<TaskInputTable> | undefined> {
    return this.database.read
      .selectFrom('task_inputs')
      .selectAll()
      .where('taskId', '=', taskId)
      .executeTakeFirst();
  }

  async attempts(taskId: string): Promise<AttemptRow[]> {
    return this.database.read
      .selectFrom('task_attempts')
      .selectAll()
      .where('taskId', '=', taskId)
      .orderBy('attempt')
      .execute();
  }

  async attempt(taskId: string, attempt: number): Promise<AttemptRow | undefined> {
    return this.database.read
      .selectFrom('task_attempts')
      .selectAll()
      .where('taskId', '=', taskId)
      .where('attempt', '=', attempt)
      .executeTakeFirst();
  }

  async page(owner: Owner, page: TaskPage): Promise<TaskRow[]> {
    return filtered(visibleTo(owner, this.database.read.selectFrom('tasks')), page)
      .selectAll('tasks')
      .orderBy('tasks.id', page.order)
      .limit(page.limit)
      .offset(page.offset)
      .execute();
  }

  /** Exact from kept counters where only owner and status filter; otherwise counted up to the ceiling. */
  async total(owner: Owner, page: TaskPage): Promise<{ total: number; isMinimum: boolean }> {
    if (!page.instanceId && !page.tag && !page.text && !page.since && !page.until) {
      const only = 'user' in owner ? owner.user : page.owner;
      const counts = await this.counts(only);
      const total = page.status ? counts[page.status] : Object.values(counts).reduce((sum, n) => sum + n, 0);
      return { total, isMinimum: false };
    }
    const rows = filtered(visibleTo(owner, this.database.read.selectFrom('tasks')), page)
      .select('tasks.id')
      .limit(countCeiling)
      .as('matching');
    const { count } = await this.database.read
      .selectFrom(rows)
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return { total: Number(count), isMinimum: Number(count) === countCeiling };
  }

  async counts(owner?: string): Promise<Record<TaskRow['status'], number>> {
    const rows = await this.database.read
      .selectFrom('task_counts')
      .select(['status', (select) => select.fn.sum<number>('count').as('count')])
      .$if(owner !== undefined, (query) => query.where('owner', '=', owner ?? ''))
      .groupBy('status')
      .execute();
    const counts = { pending: 0, running: 0, completed: 0, failed: 0 };
    for (const row of rows) counts[row.status as TaskRow['status']] = Number(row.count);
    return counts;
  }

  async oldestPending(): Promise<string | null> {
    const row = await this.database.read
      .selectFrom('tasks')
      .select('createdAt')
      .where('status', '=', 'pending')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    return row?.createdAt ?? null;
  }

  /** Pending tasks that nobody has claimed, oldest first, a slice at a time: what the pending queue is filled from. */
  async queuedAfter(afterId: string, limit: number): Promise<(TaskRow & { requirement: string })[]> {
    return this.database.read
      .selectFrom('tasks')
      .innerJoin('task_inputs', 'task_inputs.taskId', 'tasks.id')
      .selectAll('tasks')
      .select('task_inputs.requirement')
      .where('tasks.status', '=', 'pending')
      .where('tasks.phase', '=', 'queued')
      .where('tasks.id', '>', afterId)
      .orderBy('tasks.id')
      .limit(limit)
      .execute();
  }

  /** Tasks that stand on this instance and have not ended: what a runner reconciles before it takes anything new. */
  async unfinishedOn(instanceId: string): Promise<TaskRow[]> {
    return this.database.read
      .selectFrom('tasks')
      .selectAll()
      .where('status', 'in', ['pending', 'running'])
      .where('phase', '!=', 'queued')
      .where('instanceId', '=', instanceId)
      .orderBy('id')
      .execute();
  }

  /** Claim and attempt in one write, before the POST. False: cancelled or taken meanwhile. */
  async claim(claim: Claim): Promise<boolean> {
    return this.database.write(async (trx) => {
      const attempt = claim.expectedAttempt + 1;
      const changed = await trx
        .updateTable('tasks')
        .set({
          phase: 'dispatching',
          instanceId: claim.instanceId,
          attempt,
          claimToken: claim.token,
          updatedAt: claim.at,
        })
        .where('id', '=', claim.taskId)
        .where('status', '=', 'pending')
        .where('phase', '=', 'queued')
        .where('attempt', '=', claim.expectedAttempt)
        .where('cancelRequested', '=', 0)
        .executeTakeFirst();
      if (changed.numUpdatedRows === 0n) return false;
      await trx
        .insertInto('task_attempts')
        .values({
          taskId: claim.taskId,
          attempt,
          instanceId: claim.instanceId,
          promptId: claim.promptId,
          clientId: claim.clientId,
          state: 'dispatching',
          outcome: null,
          error: null,
          startedAt: claim.at,
          acceptedAt: null,
          endedAt: null,
        })
        .execute();
      return true;
    });
  }

  /** A new owner of the instance takes over an attempt that runs there; from now on the old token writes nothing. */
  async takeOver(fence: AttemptFence, at: string): Promise<boolean> {
    return this.database.write(async (trx) => {
      const changed = await trx
        .updateTable('tasks')
        .set({ claimToken: fence.token, updatedAt: at })
        .where('id', '=', fence.taskId)
        .where('attempt', '=', fence.attempt)
        .where('status', 'in', ['pending', 'running'])
        .executeTakeFirst();
      return changed.numUpdatedRows === 1n;
    });
  }

  /** Accepted, progress, node: marks that may be a moment late. One write for many tasks; false where the fence failed. */
  async mark(marks: readonly { fence: AttemptFence; change: RunningMark }[]): Promise<boolean[]> {
    return this.database.write(async (trx) => {
      const results: boolean[] = [];
      for (const { fence, change } of marks) {
        const { acceptedAt, ...columns } = change;
        const changed = await this.fencedUpdate(trx, fence, columns);
        if (changed && acceptedAt) await updateAttempt(trx, fence, { state: 'accepted', acceptedAt });
        results.push(changed);
      }
      return results;
    });
  }

  /** The one terminal write: row, attempt, counters and whatever `alongside` adds (output files, webhook jobs). */
  async end(
    fence: AttemptFence,
    end: TerminalChange,
    alongside?: (trx: Trx) => Promise<void>,
  ): Promise<boolean> {
    return this.database.write(async (trx) => {
      const { outcome, acceptedAt, ...columns } = end;
      if (!(await this.fencedUpdate(trx, fence, columns))) return false;
      await updateAttempt(trx, fence, {
        state: 'ended',
        outcome,
        error: columns.error,
        endedAt: columns.finishedAt,
        ...(acceptedAt && { acceptedAt }),
      });
      await trx.deleteFrom('task_files').where('taskId', '=', fence.taskId).execute();
      await alongside?.(trx);
      return true;
    });
  }

  /** Back to the queue after an attempt was lost or refused by this instance; the attempt's row keeps the reason. */
  async requeue(
    fence: AttemptFence,
    requeue: { outcome: string; error: string | null; at: string },
  ): Promise<boolean> {
    return this.database.write(async (trx) => {
      const changed = await this.fencedUpdate(trx, fence, {
        status: 'pending',
        phase: 'queued',
        instanceId: null,
        claimToken: null,
        node: null,
        updatedAt: requeue.at,
      });
      if (!changed) return false;
      await updateAttempt(trx, fence, {
        state: 'ended',
        outcome: requeue.outcome,
        error: requeue.error,
        endedAt: requeue.at,
      });
      return true;
    });
  }

  /** Ends a task that no worker has: cancelled while queued, or waited out. False when it was claimed meanwhile. */
  async endQueued(
    taskId: string,
    owner: string,
    end: Omit<TerminalChange, 'outcome' | 'acceptedAt'>,
    alongside?: (trx: Trx) => Promise<void>,
  ): Promise<boolean> {
    return this.database.write(async (trx) => {
      const changed = await trx
        .updateTable('tasks')
        .set(end)
        .where('id', '=', taskId)
        .where('status', '=', 'pending')
        .where('phase', '=', 'queued')
        .executeTakeFirst();
      if (changed.numUpdatedRows === 0n) return false;
      await moveCount(trx, owner, 'pending', end.status);
      await trx.deleteFrom('task_files').where('taskId', '=', taskId).execute();
      await alongside?.(trx);
      return true;
    });
  }

  async requestCancel(taskId: string, at: string): Promise<boolean> {
    return this.database.write(async (trx) => {
      const changed = await trx
        .updateTable('tasks')
        .set({ cancelRequested: 1, updatedAt: at })
        .where('id', '=', taskId)
        .where('status', 'in', ['pending', 'running'])
        .executeTakeFirst();
      return changed.numUpdatedRows === 1n;
    });
  }

  private fencedUpdate(trx: Trx, fence: AttemptFence, columns: Updateable<TaskTable>): Promise<boolean> {
    return fencedUpdate(trx, { fence, columns, locksRows: this.database.dialect === 'postgres' });
  }

  async forgetIdempotencyKeysBefore(at: string): Promise<void> {
    await this.database.write((trx) =>
      trx.deleteFrom('idempotency_keys').where('createdAt', '<', at).execute(),
    );
  }
}

export interface RunningMark {
  acceptedAt?: string;
  status?: TaskRow['status'];
  phase?: TaskPhase;
  progress?: number;
  node?: string | null;
  startedAt?: string;
  updatedAt: string;
}

export interface TerminalChange {
  outcome: string;
  /** When the worker took it, where no mark has said so yet. */
  acceptedAt: string | null;
  status: 'completed' | 'failed';
  phase: TaskPhase;
  progress: number;
  node: null;
  error: string | null;
  result: string | null;
  warnings?: string;
  startedAt?: string | null;
  updatedAt: string;
  finishedAt: string;
}

/** Writes only what the fence still allows, and moves the counters when the status changes by it. */
async function fencedUpdate(
  trx: Trx,
  { fence, columns, locksRows }: { fence: AttemptFence; columns: Updateable<TaskTable>; locksRows: boolean },
): Promise<boolean> {
  const before = await trx
    .selectFrom('tasks')
    .select(['owner', 'status'])
    .where('id', '=', fence.taskId)
    .where('attempt', '=', fence.attempt)
    .where('claimToken', '=', fence.token)
    .where('status', 'in', ['pending', 'running'])
    .$if(locksRows, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!before) return false;
  await trx.updateTable('tasks').set(columns).where('id', '=', fence.taskId).execute();
  if (columns.status) await moveCount(trx, before.owner, before.status, columns.status as string);
  return true;
}

async function updateAttempt(
  trx: Trx,
  fence: AttemptFence,
  columns: Updateable<TaskAttemptTable>,
): Promise<void> {
  await trx
    .updateTable('task_attempts')
    .set(columns)
    .where('taskId', '=', fence.taskId)
    .where('attempt', '=', fence.attempt)
    .execute();
}

async function moveCount(trx: Trx, owner: string, from: string, to: string): Promise<void> {
  if (from === to) return;
  await addToCount(trx, owner, from, -1);
  await addToCount(trx, owner, to, 1);
}

async function addToCount(trx: Trx, owner: string, status: string, delta: number): Promise<void> {
  await trx
    .insertInto('task_counts')
    .values({ owner, status, count: delta })
    .onConflict((conflict) =>
      conflict.columns(['owner', 'status']).doUpdateSet((update) => ({
        count: update('task_counts.count', '+', delta),
      })),
    )
    .execute();
}

function visibleTo<Output>(
  owner: Owner,
  query: SelectQueryBuilder<DispatchTables, 'tasks', Output>,
): SelectQueryBuilder<DispatchTables, 'tasks', Output> {
  const checked = requireOwner(owner);
  return 'user' in checked ? query.where('tasks.owner', '=', checked.user) : query;
}

function filtered<Output>(
  query: SelectQueryBuilder<DispatchTables, 'tasks', Output>,
  page: TaskPage,
): SelectQueryBuilder<DispatchTables, 'tasks', Output> {
  return query
    .$if(page.status !== undefined, (q) => q.where('tasks.status', '=', page.status ?? 'pending'))
    .$if(page.owner !== undefined, (q) => q.where('tasks.owner', '=', page.owner ?? ''))
    .$if(page.instanceId !== undefined, (q) => q.where('tasks.instanceId', '=', page.instanceId ?? ''))
    .$if(page.since !== undefined, (q) => q.where('tasks.createdAt', '>=', page.since ?? ''))
    .$if(page.until !== undefined, (q) => q.where('tasks.createdAt', '<', page.until ?? ''))
    .$if(page.tag !== undefined, (q) => q.where(holds('tasks.tags', JSON.stringify(page.tag))))
    .$if(page.text !== undefined, (q) =>
      q.where((where) =>
        where.or([holds('tasks.name', page.text ?? ''), where('tasks.id', '=', page.text ?? '')]),
      ),
    );
}

/** Tags are stored as a JSON list, so a whole tag is found by its quoted form. */
function holds(column: string, text: string): RawBuilder<boolean> {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`;
}
