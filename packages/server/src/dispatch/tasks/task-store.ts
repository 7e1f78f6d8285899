import { say } from '@switchyard/contract/sentences/sentences';
import type { Insertable, Kysely } from 'kysely';
import { AppError } from '../../lib/app-error.ts';
import { type Owner, requireOwner } from '../../lib/owner.ts';
import type { AuditPart } from '../../platform/audit/audit.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { isOneOf } from '../../platform/database/dialect.ts';
import { Prepared } from '../../platform/database/prepared.ts';
import { PreparedRows } from '../../platform/database/prepared-rows.ts';
import type { Requirement } from '../graphs/capability.ts';
import type { DispatchTables, FileTable, IdempotencyKeyTable, TaskInputRow, TaskRow } from '../tables.ts';
import type { TaskEnd } from './attempt-store.ts';
import { oneMoreEnded, readCounts, type TaskCounts } from './task-counts-store.ts';
import { visibleTo } from './task-list-store.ts';

type Trx = WriteTransaction<DispatchTables>;

export interface NewTask {
  row: TaskRow;
  input: TaskInputRow;
  fileIds: readonly string[];
  idempotency: IdempotencyKey | null;
}

export interface IdempotencyKey {
  key: string;
  bodyHash: string;
}

/** The task of an earlier submission with the same key, and whether its body was the same. */
export interface EarlierSubmission {
  taskId: string;
  sameBody: boolean;
}

/** The columns that decide when a task is placed. A start reads them of all tasks that wait. */
const queueColumns = ['id', 'owner', 'priority', 'createdAt', 'frontAt', 'attempt', 'fingerprint'] as const;

export type QueuedTask = Pick<TaskRow, (typeof queueColumns)[number]>;

/** Tasks as their owners see and submit them; the attempt store has the writes of their runners. */
export class TaskStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /** Returns the earlier submission when the key was used before; nothing is written then. */
  async insert(
    owner: Owner,
    task: NewTask,
    alongside: (trx: Trx) => Promise<void> | undefined = async () => undefined,
  ): Promise<EarlierSubmission | null> {
    requireOwner(owner);
    return this.#database.write(async (trx, lastly) => {
      const earlier = task.idempotency && (await useKey(trx, task, task.idempotency));
      if (earlier) return earlier;
      const sources = await this.#requireFiles(trx, task.fileIds);
      const { id: taskId, owner: taskOwner } = task.row;
      lastly(
        newTask.bind(task.row),
        newInput.bind(task.input),
        ...newTaskFiles.bind(sources.map(({ id: fileId }) => ({ taskId, fileId }))),
        ...newSources.bind(
          sources.map(({ id: fileId, ...content }) => ({ taskId, fileId, owner: taskOwner, ...content })),
        ),
      );
      await alongside(trx);
      return null;
    });
  }

  async earlierSubmission(owner: string, key: IdempotencyKey): Promise<EarlierSubmission | null> {
    return earlierSubmission(this.#database.read, owner, key);
  }

  async get(owner: Owner, taskId: string): Promise<TaskRow | undefined> {
    return visibleTo(owner, this.#database.read.selectFrom('tasks'))
      .selectAll('tasks')
      .where('tasks.id', '=', taskId)
      .executeTakeFirst();
  }

  async input(taskId: string): Promise<TaskInputRow | undefined> {
    return inputOfTask.first(this.#database.read, { taskId });
  }

  async counts(owner?: string): Promise<TaskCounts> {
    return readCounts(this.#database, owner);
  }

  async oldestPending(): Promise<string | null> {
    const row = await this.#database.read
      .selectFrom('tasks')
      .select('createdAt')
      .where('status', '=', 'pending')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    return row?.createdAt ?? null;
  }

  /** Unclaimed pending tasks, oldest first, a batch at a time; the pending queue is filled from them. */
  async queuedAfter(afterId: string, limit: number): Promise<(QueuedTask & { requirement: string })[]> {
    return this.#database.read
      .selectFrom('tasks')
      .innerJoin('task_inputs', 'task_inputs.taskId', 'tasks.id')
      .select(queueColumns)
      .select('task_inputs.requirement')
      .where('tasks.status', '=', 'pending')
      .where('tasks.phase', '=', 'queued')
      .where('tasks.id', '>', afterId)
      .orderBy('tasks.id')
      .limit(limit)
      .execute();
  }

  async rowsOf(taskIds: readonly string[]): Promise<TaskRow[]> {
    if (taskIds.length === 0) return [];
    return this.#database.read
      .selectFrom('tasks')
      .selectAll()
      .where(isOneOf(this.#database.dialect, { column: 'id', values: taskIds }))
      .execute();
  }

  async requirementsOf(taskIds: readonly string[]): Promise<Map<string, Requirement>> {
    if (taskIds.length === 0) return new Map();
    const rows = await this.#database.read
      .selectFrom('task_inputs')
      .select(['taskId', 'requirement'])
      .where(isOneOf(this.#database.dialect, { column: 'taskId', values: taskIds }))
      .execute();
    return new Map(rows.map(({ taskId, requirement }) => [taskId, JSON.parse(requirement) as Requirement]));
  }

  /** Those of these tasks that wait for a worker. */
  async queuedAmong(taskIds: readonly string[]): Promise<Set<string>> {
    if (taskIds.length === 0) return new Set();
    const rows = await this.#database.read
      .selectFrom('tasks')
      .select('id')
      .where(isOneOf(this.#database.dialect, { column: 'id', values: taskIds }))
      .where('phase', '=', 'queued')
      .execute();
    return new Set(rows.map(({ id }) => id));
  }

  /** The tasks on workers that someone wants to be stopped. */
  async cancelRequestedIds(): Promise<string[]> {
    const rows = await this.#database.read
      .selectFrom('tasks')
      .select('id')
      .where('instanceId', 'is not', null)
      .where('finishedAt', 'is', null)
      .where('cancelRequested', '=', 1)
      .execute();
    return rows.map(({ id }) => id);
  }

  /** The same tasks as `queuedAfter`, with what may have changed since they were put into the queue. */
  async queuedStateAfter(
    afterId: string,
    limit: number,
  ): Promise<Pick<TaskRow, 'id' | 'attempt' | 'frontAt'>[]> {
    return this.#queued(afterId, limit).select(['id', 'attempt', 'frontAt']).execute();
  }

  /** The same as `queuedAfter`, with ids only. */
  async queuedIdsAfter(afterId: string, limit: number): Promise<string[]> {
    const rows = await this.#queued(afterId, limit).select('id').execute();
    return rows.map(({ id }) => id);
  }

  /** Ends a task that is on no worker: cancelled while queued. Returns false when it was claimed meanwhile. */
  async endQueued(
    { id, owner }: Pick<TaskRow, 'id' | 'owner'>,
    end: TaskEnd,
    alongside?: (trx: Trx) => Promise<void>,
  ): Promise<boolean> {
    return this.#database.write(async (trx, lastly) => {
      const changed = await trx
        .updateTable('tasks')
        .set(end)
        .where('id', '=', id)
        .where('status', '=', 'pending')
        .where('phase', '=', 'queued')
        .executeTakeFirst();
      if (changed.numUpdatedRows === 0n) return false;
      await trx.deleteFrom('task_files').where('taskId', '=', id).execute();
      lastly(oneMoreEnded.bind({ owner, status: end.status }));
      await alongside?.(trx);
      return true;
    });
  }

  /** Returns false when the task was asked to stop before, has ended or went back to the queue. */
  async requestCancel(
    taskId: string,
    { at, alongside }: { at: string; alongside: AuditPart },
  ): Promise<boolean> {
    return this.#database.write(async (trx) => {
      const changed = await trx
        .updateTable('tasks')
        .set({ cancelRequested: 1, updatedAt: at })
        .where('id', '=', taskId)
        .where('status', 'in', ['pending', 'running'])
        .where('phase', '!=', 'queued')
        .where('cancelRequested', '=', 0)
        .executeTakeFirst();
      if (changed.numUpdatedRows === 0n) return false;
      await alongside(trx);
      return true;
    });
  }

  /** Returns the changed row, or undefined when the task does not wait any more. */
  async moveToFront(
    taskId: string,
    { at, alongside }: { at: string; alongside: AuditPart },
  ): Promise<TaskRow | undefined> {
    return this.#database.write(async (trx) => {
      const moved = await trx
        .updateTable('tasks')
        .set({ frontAt: at, updatedAt: at })
        .where('id', '=', taskId)
        .where('status', '=', 'pending')
        .where('phase', '=', 'queued')
        .returningAll()
        .executeTakeFirst();
      if (moved) await alongside(trx);
      return moved;
    });
  }

  async forgetIdempotencyKeysBefore(at: string): Promise<void> {
    await this.#database.write((trx) =>
      trx.deleteFrom('idempotency_keys').where('createdAt', '<', at).execute(),
    );
  }

  /** The rows that exist stay locked for the length of the write on databases that lock rows. */
  async #requireFiles(
    trx: Trx,
    fileIds: readonly string[],
  ): Promise<Pick<FileTable, 'id' | 'sha256' | 'filename'>[]> {
    const files = [];
    for (const fileId of [...fileIds].sort()) {
      const file = await trx
        .selectFrom('files')
        .select(['id', 'sha256', 'filename'])
        .where('id', '=', fileId)
        .$if(this.#database.dialect === 'postgres', (query) => query.forShare())
        .executeTakeFirst();
      if (file) {
        files.push(file);
        continue;
      }
      const message = say('file_deleted', { file: fileId });
      throw new AppError('invalid_param', {
        message,
        faults: [{ in: 'body', path: ['params'], message, type: 'file_not_found' }],
      });
    }
    return files;
  }

  #queued(afterId: string, limit: number) {
    return this.#database.read
      .selectFrom('tasks')
      .where('status', '=', 'pending')
      .where('phase', '=', 'queued')
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(limit);
  }
}

/** Returns null when the key was free; it now belongs to this task. */
async function useKey(
  trx: Trx,
  { row }: NewTask,
  idempotency: IdempotencyKey,
): Promise<EarlierSubmission | null> {
  const { id: taskId, owner, createdAt } = row;
  if (await claimKey(trx, { ...idempotency, owner, taskId, createdAt })) return null;
  return earlierSubmission(trx, owner, idempotency);
}

/** Returns false when the owner has used the key before. */
export async function claimKey(trx: Trx, row: IdempotencyKeyTable): Promise<boolean> {
  const taken = await trx
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return taken.numInsertedOrUpdatedRows === 1n;
}

async function earlierSubmission(
  read: Database<DispatchTables>['read'],
  owner: string,
  { key, bodyHash }: IdempotencyKey,
): Promise<EarlierSubmission | null> {
  const earlier = await read
    .selectFrom('idempotency_keys')
    .select(['taskId', 'bodyHash'])
    .where('owner', '=', owner)
    .where('key', '=', key)
    .executeTakeFirst();
  return earlier ? { taskId: earlier.taskId, sameBody: earlier.bodyHash === bodyHash } : null;
}

const newTask = new Prepared((db: Kysely<DispatchTables>, row: TaskRow) =>
  db.insertInto('tasks').values(row),
);

const newInput = new Prepared((db: Kysely<DispatchTables>, input: TaskInputRow) =>
  db.insertInto('task_inputs').values(input),
);

const newTaskFiles = new PreparedRows(
  ['taskId', 'fileId'],
  (db: Kysely<DispatchTables>, rows: Insertable<DispatchTables['task_files']>[]) =>
    db.insertInto('task_files').values(rows),
);

const newSources = new PreparedRows(
  ['taskId', 'fileId', 'owner', 'sha256', 'filename'],
  (db: Kysely<DispatchTables>, rows: Insertable<DispatchTables['task_sources']>[]) =>
    db.insertInto('task_sources').values(rows),
);

const inputOfTask = new Prepared((db: Kysely<DispatchTables>, { taskId }: { taskId: string }) =>
  db.selectFrom('task_inputs').selectAll().where('taskId', '=', taskId),
);
