import type { TaskPhase } from '@switchyard/contract/dispatch/task';
import type { Selectable, Updateable } from 'kysely';
import type { Database, WriteTransaction } from '../platform/database/database.ts';
import type { DispatchTables, TaskAttemptTable, TaskRow, TaskTable } from './tables.ts';
import { CountChanges } from './task-counts-store.ts';

export type AttemptRow = Selectable<TaskAttemptTable>;
type Trx = WriteTransaction<DispatchTables>;

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

export interface RunningMark {
  acceptedAt?: string;
  status?: TaskRow['status'];
  phase?: TaskPhase;
  progress?: number;
  node?: string | null;
  startedAt?: string;
  updatedAt: string;
}

/** The columns of a task that has ended. */
export interface TaskEnd {
  status: 'completed' | 'failed';
  phase: 'ended';
  progress: number;
  node: null;
  error: string | null;
  result: string | null;
  warnings?: string;
  startedAt?: string | null;
  updatedAt: string;
  finishedAt: string;
}

export interface AttemptEnd extends TaskEnd {
  outcome: string;
  /** When the worker took it, where no mark has said so yet. */
  acceptedAt: string | null;
}

/** The writes of whoever runs a task. Each names the attempt and the lease under which it is allowed. */
export class AttemptStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  async of(taskId: string): Promise<AttemptRow[]> {
    return this.#database.read
      .selectFrom('task_attempts')
      .selectAll()
      .where('taskId', '=', taskId)
      .orderBy('attempt')
      .execute();
  }

  async get(taskId: string, attempt: number): Promise<AttemptRow | undefined> {
    return this.#database.read
      .selectFrom('task_attempts')
      .selectAll()
      .where('taskId', '=', taskId)
      .where('attempt', '=', attempt)
      .executeTakeFirst();
  }

  /** Tasks that stand on this instance and have not ended: what a runner picks up before it takes anything new. */
  async unfinishedOn(instanceId: string): Promise<TaskRow[]> {
    return this.#database.read
      .selectFrom('tasks')
      .selectAll()
      .where('instanceId', '=', instanceId)
      .where('finishedAt', 'is', null)
      .where('phase', '!=', 'queued')
      .orderBy('id')
      .execute();
  }

  /**
   * Claim and attempt in one write, before the POST. `gone`: cancelled or taken meanwhile. `instance_off`: switched off
   * or removed; once that was answered to somebody, nothing is given to it any more.
   */
  async claim(claim: Claim): Promise<'claimed' | 'gone' | 'instance_off'> {
    return this.#database.write(async (trx) => {
      if (!(await this.#mayTake(trx, claim.instanceId))) return 'instance_off';
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
      if (changed.numUpdatedRows === 0n) return 'gone';
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
      return 'claimed';
    });
  }

  /** A new owner of the instance takes over what runs there; from now on the old token writes nothing. */
  async takeOver(fence: AttemptFence, at: string): Promise<TaskRow | undefined> {
    return this.#database.write((trx) =>
      trx
        .updateTable('tasks')
        .set({ claimToken: fence.token, updatedAt: at })
        .where('id', '=', fence.taskId)
        .where('attempt', '=', fence.attempt)
        .where('status', 'in', ['pending', 'running'])
        .where('phase', '!=', 'queued')
        .returningAll()
        .executeTakeFirst(),
    );
  }

  /** Accepted, progress, node: marks that may be a moment late. One write for many tasks; false where the fence failed. */
  async mark(marks: readonly { fence: AttemptFence; change: RunningMark }[]): Promise<boolean[]> {
    return this.#database.write(async (trx) => {
      const counts = new CountChanges();
      const results: boolean[] = [];
      for (const { fence, change } of marks) {
        const { acceptedAt, ...columns } = change;
        const changed = await this.#update(trx, { fence, columns, counts });
        if (changed && acceptedAt) await updateAttempt(trx, fence, { state: 'accepted', acceptedAt });
        results.push(changed);
      }
      await counts.write(trx);
      return results;
    });
  }

  /** The one terminal write: row, attempt, counters and whatever `alongside` adds (output files, webhook calls). */
  async end(fence: AttemptFence, end: AttemptEnd, alongside?: (trx: Trx) => Promise<void>): Promise<boolean> {
    return this.#database.write(async (trx) => {
      const counts = new CountChanges();
      const { outcome, acceptedAt, ...columns } = end;
      if (!(await this.#update(trx, { fence, columns, counts }))) return false;
      await updateAttempt(trx, fence, {
        state: 'ended',
        outcome,
        error: columns.error,
        endedAt: columns.finishedAt,
        ...(acceptedAt && { acceptedAt }),
      });
      await trx.deleteFrom('task_files').where('taskId', '=', fence.taskId).execute();
      await counts.write(trx);
      await alongside?.(trx);
      return true;
    });
  }

  /**
   * Back to the queue after an attempt was lost or refused by this instance; the attempt's row keeps the reason. A task
   * with a cancel on it is left as it is: nobody would ever claim it.
   */
  async requeue(
    fence: AttemptFence,
    requeue: { outcome: string; error: string | null; at: string },
  ): Promise<'requeued' | 'cancel_requested' | 'fenced'> {
    return this.#database.write(async (trx) => {
      const counts = new CountChanges();
      const before = await this.#fenced(trx, fence);
      if (!before) return 'fenced';
      if (before.cancelRequested === 1) return 'cancel_requested';
      const columns: Updateable<TaskTable> = {
        status: 'pending',
        phase: 'queued',
        instanceId: null,
        claimToken: null,
        node: null,
        updatedAt: requeue.at,
      };
      await trx.updateTable('tasks').set(columns).where('id', '=', fence.taskId).execute();
      counts.move(before.owner, before.status, 'pending');
      await updateAttempt(trx, fence, {
        state: 'ended',
        outcome: requeue.outcome,
        error: requeue.error,
        endedAt: requeue.at,
      });
      await counts.write(trx);
      return 'requeued';
    });
  }

  /** Holds the instance's row for as long as the write lasts, where that takes a lock. */
  async #mayTake(trx: Trx, instanceId: string): Promise<boolean> {
    const row = await trx
      .selectFrom('instances')
      .select('id')
      .where('id', '=', instanceId)
      .where('enabled', '=', 1)
      .where('removed', '=', 0)
      .$if(this.#locksRows, (query) => query.forShare())
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Writes only what the fence still allows, and notes a change of status for the counters. */
  async #update(
    trx: Trx,
    { fence, columns, counts }: { fence: AttemptFence; columns: Updateable<TaskTable>; counts: CountChanges },
  ): Promise<boolean> {
    const before = await this.#fenced(trx, fence);
    if (!before) return false;
    await trx.updateTable('tasks').set(columns).where('id', '=', fence.taskId).execute();
    if (columns.status) counts.move(before.owner, before.status, columns.status as TaskRow['status']);
    return true;
  }

  #fenced(trx: Trx, fence: AttemptFence) {
    return trx
      .selectFrom('tasks')
      .select(['owner', 'status', 'cancelRequested'])
      .where('id', '=', fence.taskId)
      .where('attempt', '=', fence.attempt)
      .where('claimToken', '=', fence.token)
      .where('status', 'in', ['pending', 'running'])
      .$if(this.#locksRows, (query) => query.forUpdate())
      .executeTakeFirst();
  }

  get #locksRows(): boolean {
    return this.#database.dialect === 'postgres';
  }
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
