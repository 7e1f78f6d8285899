import type { TaskPhase } from '@switchyard/contract/dispatch/task';
import type { ExpressionBuilder, Kysely, Selectable, Updateable } from 'kysely';
import type { BoundStatement } from '../../platform/database/bound-statement.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { type Dialect, isInList, rowsIn } from '../../platform/database/dialect.ts';
import { Prepared } from '../../platform/database/prepared.ts';
import type { DispatchTables, TaskAttemptTable, TaskRow, TaskTable } from '../tables.ts';
import { oneMoreEnded } from './task-counts-store.ts';

export type AttemptRow = Omit<Selectable<TaskAttemptTable>, 'nodes' | 'knownPromptId'>;
export type AttemptWithNodes = Selectable<TaskAttemptTable>;
type Trx = WriteTransaction<DispatchTables>;

/** The values of the one write before the POST to a worker. */
export interface Claim {
  taskId: string;
  /** The attempt number that the task has now; the claim increases it by one. */
  expectedAttempt: number;
  instanceId: string;
  promptId: string;
  clientId: string;
  token: number;
  at: string;
  /** The owner of the task, and the tags of the instance in JSON, for the pauses that concern them. */
  owner: string;
  pools: string;
  /** The last report of the worker about itself. Its row follows a moment later. */
  workerVersion: string | null;
  /** A prompt that is in the worker's history now, if one is known. */
  knownPromptId: string | null;
}

/** Names the attempt that a runner may write. It matches no row once the task has moved on or the lease has changed. */
export interface AttemptFence {
  taskId: string;
  attempt: number;
  token: number;
}

/** The progress of a running task. */
export interface RunningMark {
  phase: TaskPhase;
  progress: number;
  node: string | null;
  updatedAt: string;
  /** Only in the mark that the worker has taken the prompt. */
  accepted?: { at: string; startedAt: string };
  /** The record of the attempt's nodes so far. */
  nodes?: string;
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
  warningSentences?: string | null;
  startedAt?: string | null;
  updatedAt: string;
  finishedAt: string;
}

export interface AttemptEnd extends Required<TaskEnd> {
  outcome: string;
  /** The time at which the worker took it, unless a mark has it already. */
  acceptedAt: string | null;
  nodes: string | null;
  /** False when it is known that the task names no files, which from now on may be deleted. */
  mayHoldFiles: boolean;
}

const tasksPerQuestion = 500;
/** All but the record of the nodes, which may be long and has readers of its own. */
const columns = [
  'taskId',
  'attempt',
  'instanceId',
  'promptId',
  'clientId',
  'state',
  'outcome',
  'error',
  'startedAt',
  'acceptedAt',
  'endedAt',
  'serverName',
  'workerVersion',
] as const satisfies (keyof AttemptRow)[];

/** The writes of the runner of a task. Each names the attempt and the lease under which it is allowed. */
export class AttemptStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  async of(taskId: string): Promise<AttemptRow[]> {
    return this.#database.read
      .selectFrom('task_attempts')
      .select(columns)
      .where('taskId', '=', taskId)
      .orderBy('attempt')
      .execute();
  }

  /** The attempts of these tasks, by task. */
  async ofEach(taskIds: readonly string[]): Promise<Map<string, AttemptRow[]>> {
    const attempts = new Map<string, AttemptRow[]>();
    for (let start = 0; start < taskIds.length; start += tasksPerQuestion) {
      const rows = await this.#database.read
        .selectFrom('task_attempts')
        .select(columns)
        .where('taskId', 'in', taskIds.slice(start, start + tasksPerQuestion))
        .orderBy('attempt')
        .execute();
      for (const row of rows) attempts.set(row.taskId, [...(attempts.get(row.taskId) ?? []), row]);
    }
    return attempts;
  }

  /** The attempts of one task with the records of their nodes. */
  async withNodesOf(taskId: string): Promise<AttemptWithNodes[]> {
    return this.#database.read
      .selectFrom('task_attempts')
      .selectAll()
      .where('taskId', '=', taskId)
      .orderBy('attempt')
      .execute();
  }

  async get(taskId: string, attempt: number): Promise<AttemptWithNodes | undefined> {
    return this.#database.read
      .selectFrom('task_attempts')
      .selectAll()
      .where('taskId', '=', taskId)
      .where('attempt', '=', attempt)
      .executeTakeFirst();
  }

  /** Unfinished tasks on this instance: a runner resumes them before it takes anything new. */
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
   * Writes claim and attempt together, before the POST. `gone`: cancelled or taken meanwhile. `instance_off`: switched
   * off or removed; once a client was told so, the instance is given nothing more. `paused`: the same for a pause.
   * `superseded`: another replica, or another runner of this one, is in charge of the instance.
   */
  async claim(claim: Claim): Promise<TaskRow | 'gone' | 'instance_off' | 'paused' | 'superseded'> {
    return this.#database.write(async (trx, lastly) => {
      const instance = await usableInstance.first(trx, { id: claim.instanceId });
      if (!instance) return 'instance_off';
      if (instance.token !== claim.token) return 'superseded';
      const attempt = claim.expectedAttempt + 1;
      // Looks for pauses behind the lock on the instance, so that one which is set while that is waited for counts.
      const claimed = await claimedTask.first(trx, { attempt, ...claim });
      if (!claimed)
        return (await pausesOf(trx, claim, this.#database.dialect).executeTakeFirst()) ? 'paused' : 'gone';
      lastly(newAttempt.bind({ attempt, serverName: instance.serverName, ...claim }));
      return claimed;
    });
  }

  /** A new owner of the instance takes over its running tasks; from now on the old token writes nothing. */
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

  /** Marks (accepted, progress, node) may be a moment late. One write serves many tasks; those whose fence fails stay as they are. */
  async mark(marks: readonly { fence: AttemptFence; change: RunningMark }[]): Promise<void> {
    const rows = marks.map(({ fence, change: { accepted, nodes: _stored, ...shown } }) => ({
      ...fence,
      ...shown,
      startedAt: accepted?.startedAt,
      acceptedAt: accepted?.at,
    }));
    const accepted = rows.filter(({ acceptedAt }) => acceptedAt !== undefined);
    const others = rows.filter(({ acceptedAt }) => acceptedAt === undefined);
    await this.#database.write(async (_trx, lastly) => {
      if (others.length > 0) lastly(progressedTasks.bind(listOf(others)));
      if (accepted.length > 0)
        lastly(acceptedTasks.bind(listOf(accepted)), acceptedAttempts.bind(listOf(accepted)));
      for (const { fence, change } of marks)
        if (change.nodes !== undefined) lastly(attemptNodes.bind({ ...fence, nodes: change.nodes }));
    });
  }

  /** The one terminal write: row, attempt, counters, output files, and the calls of webhooks where there may be some. */
  async end(
    fence: AttemptFence,
    end: AttemptEnd,
    {
      outputs = [],
      addCalls,
    }: { outputs?: readonly BoundStatement[]; addCalls?: (trx: Trx) => Promise<void> } = {},
  ): Promise<boolean> {
    return this.#database.write(async (trx, lastly) => {
      const { taskId, attempt, token } = fence;
      const ended = await endedTask.first(trx, { taskId, attempt, token, ...end });
      if (!ended) return false;
      lastly(endedAttempt.bind({ taskId, attempt, ...end }), ...outputs);
      if (end.mayHoldFiles) lastly(forgottenInputs.bind({ taskId }));
      if (ended.callsWebhooks) await addCalls?.(trx);
      // All units of the owner wait for its row.
      lastly(oneMoreEnded.bind({ owner: ended.owner, status: end.status }));
      return true;
    });
  }

  /**
   * Puts a task back into the queue after this instance lost or refused it; the attempt's row keeps the reason. A task
   * with a requested cancel is left alone: it would never be claimed again.
   */
  async requeue(
    fence: AttemptFence,
    requeue: Pick<AttemptEnd, 'outcome' | 'error' | 'warnings' | 'warningSentences' | 'nodes'> & {
      at: string;
    },
  ): Promise<'requeued' | 'cancel_requested' | 'fenced'> {
    return this.#database.write(async (trx) => {
      const before = await fencedTask.first(trx, { ...fence });
      if (!before) return 'fenced';
      if (before.cancelRequested === 1) return 'cancel_requested';
      const queued: Updateable<TaskTable> = {
        status: 'pending',
        phase: 'queued',
        instanceId: null,
        claimToken: null,
        node: null,
        warnings: requeue.warnings,
        warningSentences: requeue.warningSentences,
        updatedAt: requeue.at,
      };
      await trx.updateTable('tasks').set(queued).where('id', '=', fence.taskId).execute();
      await updateAttempt(trx, fence, {
        state: 'ended',
        outcome: requeue.outcome,
        error: requeue.error,
        nodes: requeue.nodes,
        endedAt: requeue.at,
      });
      return 'requeued';
    });
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

type Db = Kysely<DispatchTables>;

/** The row stays locked for the length of the write on databases that lock rows. */
const usableInstance = new Prepared((db: Db, { id }: { id: string }, dialect) =>
  db
    .selectFrom('instances')
    .select(['serverName', 'token'])
    .where('id', '=', id)
    .where('enabled', '=', 1)
    .where('removed', '=', 0)
    .$if(dialect === 'postgres', (query) => query.forShare()),
);

/** Pauses of the queue, of the owner and of the pools of the instance. */
function pausesOf(db: Db, { owner, pools }: Pick<Claim, 'owner' | 'pools'>, dialect: Dialect) {
  return db
    .selectFrom('queue_pauses')
    .select('scope')
    .where((where) =>
      where.or([
        where('scope', '=', 'all'),
        where('scope', '=', 'user').and('target', '=', owner),
        where('scope', '=', 'pool').and(isInList(dialect, { column: 'target', list: pools })),
      ]),
    );
}

const claimedTask = new Prepared((db: Db, claim: Claim & { attempt: number }, dialect) =>
  db
    .updateTable('tasks')
    .set({
      phase: 'dispatching',
      instanceId: claim.instanceId,
      attempt: claim.attempt,
      claimToken: claim.token,
      updatedAt: claim.at,
    })
    .where('id', '=', claim.taskId)
    .where('status', '=', 'pending')
    .where('phase', '=', 'queued')
    .where('attempt', '=', claim.expectedAttempt)
    .where('cancelRequested', '=', 0)
    .where((where) => where.not(where.exists(pausesOf(db, claim, dialect))))
    .returningAll(),
);

const newAttempt = new Prepared((db: Db, claim: Claim & Pick<AttemptRow, 'attempt' | 'serverName'>) =>
  db.insertInto('task_attempts').values({
    taskId: claim.taskId,
    attempt: claim.attempt,
    instanceId: claim.instanceId,
    serverName: claim.serverName,
    workerVersion: claim.workerVersion,
    promptId: claim.promptId,
    clientId: claim.clientId,
    knownPromptId: claim.knownPromptId,
    state: 'dispatching',
    outcome: null,
    error: null,
    startedAt: claim.at,
    acceptedAt: null,
    endedAt: null,
    nodes: null,
  }),
);

const fencedTask = new Prepared(
  (db: Db, fence: { taskId: string; attempt: number; token: number }, dialect) =>
    db
      .selectFrom('tasks')
      .select(['owner', 'cancelRequested'])
      .where('id', '=', fence.taskId)
      .where('attempt', '=', fence.attempt)
      .where('claimToken', '=', fence.token)
      .where('status', 'in', ['pending', 'running'])
      .$if(dialect === 'postgres', (query) => query.forUpdate()),
);

type Fenced<Columns> = AttemptFence & Columns;

/** The task while the fence still matches. */
function fencedUpdate(db: Db, fence: AttemptFence) {
  return db
    .updateTable('tasks')
    .where('id', '=', fence.taskId)
    .where('attempt', '=', fence.attempt)
    .where('claimToken', '=', fence.token)
    .where('status', 'in', ['pending', 'running'])
    .returning('owner');
}

interface MarkList {
  /** JSON. */
  marks: string;
}

function listOf(marks: readonly AttemptFence[]): MarkList {
  return { marks: JSON.stringify(marks) };
}

/** The tasks with a mark whose fence still matches. */
function markedTasks(db: Db, { marks: list }: MarkList, dialect: Dialect) {
  const fence = { taskId: 'text', attempt: 'bigint', token: 'bigint' } as const;
  const shown = {
    phase: 'text',
    progress: 'bigint',
    node: 'text',
    startedAt: 'text',
    updatedAt: 'text',
  } as const;
  return db
    .updateTable('tasks')
    .from(rowsIn(dialect, { list, columns: { ...fence, ...shown } }).as('mark'))
    .whereRef('tasks.id', '=', 'mark.taskId')
    .whereRef('tasks.attempt', '=', 'mark.attempt')
    .whereRef('tasks.claimToken', '=', 'mark.token')
    .where('tasks.status', 'in', ['pending', 'running'])
    .set(({ ref }) => ({
      phase: ref('mark.phase').$castTo<TaskPhase>(),
      progress: ref('mark.progress'),
      node: ref('mark.node'),
      updatedAt: ref('mark.updatedAt'),
    }));
}

const acceptedTasks = new Prepared((db: Db, list: MarkList, dialect) =>
  markedTasks(db, list, dialect).set(({ ref }) => ({ status: 'running', startedAt: ref('mark.startedAt') })),
);

/** Leaves the status alone, which several indexes contain. */
const progressedTasks = new Prepared(markedTasks);

/** Leaves alone an attempt that has ended meanwhile. */
const acceptedAttempts = new Prepared((db: Db, { marks: list }: MarkList, dialect) => {
  const columns = { taskId: 'text', attempt: 'bigint', token: 'bigint', acceptedAt: 'text' } as const;
  return db
    .updateTable('task_attempts')
    .from(rowsIn(dialect, { list, columns }).as('mark'))
    .innerJoin('tasks', 'tasks.id', 'mark.taskId')
    .whereRef('task_attempts.taskId', '=', 'mark.taskId')
    .whereRef('task_attempts.attempt', '=', 'mark.attempt')
    .where('task_attempts.state', '=', 'dispatching')
    .whereRef('tasks.attempt', '=', 'mark.attempt')
    .whereRef('tasks.claimToken', '=', 'mark.token')
    .set(({ ref }) => ({ state: 'accepted', acceptedAt: ref('mark.acceptedAt') }));
});

const attemptNodes = new Prepared((db: Db, mark: Fenced<{ nodes: string }>) =>
  db
    .updateTable('task_attempts')
    .set({ nodes: mark.nodes })
    .where('taskId', '=', mark.taskId)
    .where('attempt', '=', mark.attempt)
    .where('state', '!=', 'ended')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('tasks')
          .select('tasks.id')
          .where('tasks.id', '=', mark.taskId)
          .where('tasks.claimToken', '=', mark.token),
      ),
    ),
);

const endedTask = new Prepared((db: Db, end: Fenced<Required<TaskEnd>>) =>
  fencedUpdate(db, end)
    .set({
      status: end.status,
      phase: end.phase,
      progress: end.progress,
      node: end.node,
      error: end.error,
      result: end.result,
      warnings: end.warnings,
      warningSentences: end.warningSentences,
      startedAt: end.startedAt,
      updatedAt: end.updatedAt,
      finishedAt: end.finishedAt,
    })
    .returning(callsWebhooks),
);

/** True when the end of the task may call a webhook. */
function callsWebhooks({ eb, exists, or, selectFrom }: ExpressionBuilder<DispatchTables, 'tasks'>) {
  const enabled = selectFrom('webhooks')
    .select('webhooks.id')
    .whereRef('webhooks.owner', '=', 'tasks.owner')
    .where('webhooks.enabled', '=', 1);
  return or([eb('tasks.webhook', 'is not', null), exists(enabled)]).as('callsWebhooks');
}

const endedAttempt = new Prepared((db: Db, end: AttemptEnd & { taskId: string; attempt: number }) =>
  db
    .updateTable('task_attempts')
    .set((update) => ({
      state: 'ended',
      outcome: end.outcome,
      error: end.error,
      endedAt: end.finishedAt,
      nodes: end.nodes,
      // A mark may already have set it.
      acceptedAt: update.fn.coalesce(update.val(end.acceptedAt), update.ref('acceptedAt')),
    }))
    .where('taskId', '=', end.taskId)
    .where('attempt', '=', end.attempt),
);

const forgottenInputs = new Prepared((db: Db, { taskId }: { taskId: string }) =>
  db.deleteFrom('task_files').where('taskId', '=', taskId),
);
