import {
  priorityRange,
  type Task,
  type TaskConversation,
  type TaskDetail,
  type TaskErrorCode,
} from '@switchyard/contract/dispatch/task';
import type {
  TaskCounts,
  TaskCountsQuery,
  NewTask as TaskInput,
  TaskList,
  TaskListQuery,
} from '@switchyard/contract/dispatch/tasks';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { timeInRequest } from '../../http/validation/time-in-request.ts';
import { AppError } from '../../lib/app-error.ts';
import { deadline } from '../../lib/async/deadline.ts';
import { toIso } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import { type Actor, type AuditPart, noRecord } from '../../platform/audit/audit.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import type { ReadTogether } from '../../platform/database/snapshot.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { LentFiles } from '../files/lent-files.ts';
import type { OwnFiles } from '../files/own-files.ts';
import type { Requirement } from '../graphs/capability.ts';
import type { Reader } from '../links.ts';
import type { Matchmaker } from '../queue/matchmaker.ts';
import { pendingOf } from '../queue/pending-task.ts';
import { QueueEntrance, type RoomCheck } from '../queue/queue-entrance.ts';
import type { DispatchTables, TaskRow } from '../tables.ts';
import type { AttemptStore } from '../tasks/attempt-store.ts';
import { decideCancel } from '../tasks/task.ts';
import { ofStatus, type TaskListStore } from '../tasks/task-list-store.ts';
import { newTaskError, taskErrorOf, withWarnings } from '../tasks/task-messages.ts';
import type { EarlierSubmission, TaskStore } from '../tasks/task-store.ts';
import {
  asSubmitted,
  type Outlook,
  savedWorkflowOf,
  type TaskViewOptions,
  viewTask,
  viewTaskDetail,
} from '../tasks/task-view.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { copyOf } from './task-copy.ts';
import {
  bodyHashOf,
  filesWanted,
  type PreparedTask,
  prepareTask,
  type RequestedTask,
  type SubmissionContext,
  withLentFiles,
  withPriority,
} from './task-submission.ts';
import { type TaskUpdate, watchTask } from './task-watch.ts';

export interface TasksOptions extends Pick<DispatchParts, 'events' | 'links' | 'audit' | 'clock'> {
  store: TaskStore;
  lists: TaskListStore;
  together: ReadTogether<{ tasks: Pick<TaskStore, 'get' | 'input'>; attempts: Pick<AttemptStore, 'of'> }>;
  queue: Pick<Matchmaker, 'add' | 'remove' | 'position' | 'size' | 'sizeOf'>;
  /** Names on a worker of the files that exist for this owner. */
  fileNames: (owner: Owner, fileIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  ownFiles: Pick<OwnFiles, 'inPlaceOf' | 'refuse'>;
  /** Lends a copy of a task what was lent to the task. */
  lentFiles: Pick<LentFiles, 'forCopy'>;
  /** Throws `no_capable_instance` when it is certain that no instance can run it. */
  requireCapable: (requirement: Requirement) => Promise<void>;
  /** Warnings about what may keep it waiting for ever. */
  doubtsAbout: (requirement: Requirement) => Wording[];
  /** Returns what tasks wait for, by id; a task that has ended has no entry. */
  outlooks: (rows: readonly TaskRow[]) => Promise<ReadonlyMap<string, Outlook>>;
  /** Asks the runner that has this task to stop it. */
  askToStop: (taskId: string) => void;
  webhooks: Pick<Webhooks, 'enqueue' | 'requireCallable'>;
  limits: { queued: number; queuedPerUser: number; memberPriority: number };
  /** Other replicas take tasks as well. */
  others: 'none' | 'heard' | 'unheard';
}

export interface SubmitMeta {
  userId: string;
  /** An administrator asks, whose tasks may have any priority. */
  byAdmin: boolean;
  origin?: string | undefined;
  requestId: string | null;
  /** The span around the task, when something is traced. */
  traceparent?: string | null;
  idempotencyKey: string | null;
  /** The tool call that asks for it, when an agent does. */
  conversation?: TaskConversation;
  /** Part of the unit that stores the task. When it throws, no task is made. */
  alongside?: (trx: WriteTransaction<DispatchTables>, task: TaskRow) => Promise<void>;
  /** The user who asks for a copy of a task; a copy of another user's task is on record. */
  actor?: Actor;
}

export interface Submitted {
  task: TaskDetail;
  replayed: boolean;
}

export class Tasks {
  readonly #options: TasksOptions;
  readonly #entrance: QueueEntrance;

  constructor(options: TasksOptions) {
    this.#options = options;
    this.#entrance = new QueueEntrance(options);
  }

  /** Returns once the task is on disk. */
  async submit(input: TaskInput, meta: SubmitMeta): Promise<Submitted> {
    return this.submitRequest(input, async () => ({ input }), meta);
  }

  /**
   * Like `submit`, for a request that was made in another form: the same key with the same request is the same task.
   */
  async submitRequest(
    request: object,
    taskOf: () => Promise<RequestedTask>,
    meta: SubmitMeta,
  ): Promise<Submitted> {
    const { store, queue, events, clock } = this.#options;
    const owner: Owner = { user: meta.userId };
    const idempotency =
      meta.idempotencyKey === null ? null : { key: meta.idempotencyKey, bodyHash: bodyHashOf(request) };
    // This comes before checks that may fail now and did not fail then: a full queue, a file that is gone.
    const earlier = idempotency && (await store.earlierSubmission(meta.userId, idempotency));
    if (earlier) return this.#replay(earlier, meta);
    const { input: asked, savedWorkflow = null, sweep = null, lent = [], priorityBefore } = await taskOf();
    const given = withPriority(withLentFiles(asked, lent), {
      maxPriority: this.maxPriorityOf(meta),
      priorityBefore,
    });
    if (given.webhook) this.#options.webhooks.requireCallable(given.webhook.url, ['webhook', 'url']);
    const { prepared, warnings } = await this.#prepareWithOwnFiles(given, {
      owner: meta.userId,
      requestId: meta.requestId,
      traceparent: meta.traceparent ?? null,
      conversation: meta.conversation ?? null,
      savedWorkflow,
      lent,
      sweep,
      idempotency,
      nowMs: clock(),
    });
    await this.#options.requireCapable(prepared.requirement);
    const doubts = this.#options.doubtsAbout(prepared.requirement);
    const { row: checked } = prepared.task;
    const row = { ...checked, ...withWarnings(checked, [...warnings, ...doubts]) };
    const simultaneous = await this.#entrance.hold(meta.userId, async (check) => {
      const other = await store.insert(owner, { ...prepared.task, row }, alongside(meta, { row, check }));
      if (other) return other;
      const waits = pendingOf(row, prepared.requirement);
      events.announce({ type: 'task_created', task: row, waits });
      queue.add(waits);
      return null;
    });
    if (simultaneous) return this.#replay(simultaneous, meta);
    const task = viewTaskDetail(
      row,
      { input: prepared.task.input, attempts: [] },
      this.#viewOptions(row, meta.origin),
    );
    return { task, replayed: false };
  }

  /** The highest priority that a caller may give a task. */
  maxPriorityOf({ byAdmin }: Pick<SubmitMeta, 'byAdmin'>): number {
    return byAdmin ? priorityRange.maximum : this.#options.limits.memberPriority;
  }

  /** Returns whose limit of the queue keeps a further task of this user out; null when there is room. */
  queueFullFor(userId: string): 'all' | 'user' | null {
    return this.#entrance.fullFor(userId);
  }

  /** Returns true when this key has made a task already, with any request. */
  async hasSubmitted(userId: string, idempotencyKey: string): Promise<boolean> {
    const key = { key: idempotencyKey, bodyHash: '' };
    return (await this.#options.store.earlierSubmission(userId, key)) !== null;
  }

  async get({ owner, origin }: Reader, taskId: string): Promise<TaskDetail> {
    const { row, input, attempts } = await this.#options.together(async (stores) => ({
      row: await stores.tasks.get(owner, taskId),
      input: await stores.tasks.input(taskId),
      attempts: await stores.attempts.of(taskId),
    }));
    if (!row || !input) throw new AppError('task_not_found');
    const outlook = (await this.#options.outlooks([row])).get(row.id);
    return viewTaskDetail(row, { input, attempts }, { ...this.#viewOptions(row, origin), outlook });
  }

  async list({ owner, origin }: Reader, query: TaskListQuery): Promise<TaskList> {
    const page = {
      ...filterOf(query),
      ...ofStatus(query.status),
      order: query.order ?? 'desc',
      limit: query.limit ?? 50,
      offset: query.offset ?? 0,
    };
    const { rows, total, isMinimum } = await this.#options.lists.list(owner, page);
    const items = await this.views({ origin }, rows);
    return isMinimum ? { total, totalIsMinimum: true, items } : { total, items };
  }

  /** Rows of a list as a reader sees them, with their outlooks. */
  async views({ origin }: Pick<Reader, 'origin'>, rows: readonly TaskRow[]): Promise<Task[]> {
    const outlooks = await this.#options.outlooks(rows);
    return rows.map((row) =>
      viewTask(row, { ...this.#viewOptions(row, origin), outlook: outlooks.get(row.id) }),
    );
  }

  async counts(owner: Owner, query: TaskCountsQuery): Promise<TaskCounts> {
    return this.#options.lists.countByStatus(owner, filterOf(query));
  }

  /** Returns the task when it ends, or when the time is over. */
  async wait(
    reader: Reader,
    taskId: string,
    options: { waitMs: number; signal: AbortSignal },
  ): Promise<TaskDetail> {
    const over = deadline(options.waitMs, options.signal);
    try {
      for await (const update of this.watch(reader.owner, taskId, over.signal)) {
        if (update.type === 'ended') break;
      }
    } finally {
      over.release();
    }
    return this.get(reader, taskId);
  }

  /** Also used inside the gateway, for instance by the agent's workflow tool: the present row, then every change. */
  watch(owner: Owner, taskId: string, signal: AbortSignal): AsyncGenerator<TaskUpdate, void, undefined> {
    return watchTask(taskId, {
      events: this.#options.events,
      read: () => this.#row(owner, taskId),
      signal,
    });
  }

  /** With an actor it is on record when the task is another user's. */
  async cancel(reader: Reader, taskId: string, actor?: Actor): Promise<TaskDetail> {
    const row = await this.#row(reader.owner, taskId);
    const decision = decideCancel({
      phase: row.phase,
      cancelRequested: row.cancelRequested === 1,
      errorCode: taskErrorOf(row)?.code ?? null,
    });
    if (decision === 'already_finished') throw new AppError('task_finished');
    const isDone = decision === 'nothing_to_do' || (await this.#tryCancel(row, { how: decision, actor }));
    // The task went to a worker, came back from one or was cancelled between the read and the write.
    return isDone ? this.get(reader, taskId) : this.cancel(reader, taskId, actor);
  }

  /** The copy belongs to the owner of the task, as do its files. It runs where the task had to, unless `meta` names an instance. */
  async retry(
    reader: Reader,
    taskId: string,
    { instanceId, ...meta }: SubmitMeta & { instanceId?: string | undefined },
  ): Promise<TaskDetail> {
    const row = await this.#row(reader.owner, taskId);
    const given = await this.#options.store.input(row.id);
    if (!given) throw new AppError('task_not_found');
    const copy = {
      ...copyOf(row, given),
      lent: await this.#options.lentFiles.forCopy(row.owner, savedWorkflowOf(row)),
    };
    if (instanceId !== undefined) copy.input.instanceId = instanceId;
    const record = this.#recordOf('task.retried', row, meta.actor);
    const alongside: SubmitMeta['alongside'] = async (trx, made) => {
      await meta.alongside?.(trx, made);
      await record(trx);
    };
    const asked = { ...meta, alongside, userId: row.owner };
    return (await this.submitRequest(copy.input, async () => copy, asked)).task;
  }

  /** Ends a task that waits in the queue. Returns false when a runner claimed it first. */
  async endQueued(
    row: TaskRow,
    error: { code: TaskErrorCode; message: string },
    alongside: AuditPart = noRecord,
  ): Promise<boolean> {
    const at = toIso(this.#options.clock());
    const change = {
      status: 'failed',
      phase: 'ended',
      progress: row.progress,
      node: null,
      error: JSON.stringify(error),
      result: null,
      updatedAt: at,
      finishedAt: at,
    } as const;
    const ended = await this.#options.store.endQueued(row, change, async (trx) => {
      await this.#options.webhooks.enqueue(trx, { ...row, ...change });
      await alongside(trx);
    });
    if (!ended) return false;
    this.#options.queue.remove(row.id);
    this.#options.events.announce({ type: 'task_ended', task: { ...row, ...change } });
    return true;
  }

  async #prepareWithOwnFiles(
    given: TaskInput,
    context: Omit<SubmissionContext, 'fileNames'>,
  ): Promise<{ prepared: PreparedTask; warnings: Wording[] }> {
    const prepare = async (input: TaskInput): Promise<PreparedTask> => {
      const wanted = filesWanted(input);
      const fileNames =
        wanted.length > 0 ? await this.#options.fileNames({ user: context.owner }, wanted) : new Map();
      return prepareTask(input, { ...context, fileNames });
    };
    const prepared = await prepare(given);
    if (prepared.paths.length === 0) return { prepared, warnings: [] };
    const { owner } = context;
    const { input, warnings } = await this.#options.ownFiles.inPlaceOf(prepared.paths, {
      owner,
      input: given,
    });
    if (input === given) return { prepared, warnings };
    const again = await prepare(input);
    // Two nodes may share an address when an id contains a dot: then the file went to the other one.
    await this.#options.ownFiles.refuse(again.paths);
    return { prepared: again, warnings };
  }

  async #replay({ taskId, sameBody }: EarlierSubmission, { userId, origin }: SubmitMeta): Promise<Submitted> {
    if (!sameBody) throw new AppError('idempotency_mismatch');
    const task = await this.get({ owner: { user: userId }, origin }, taskId);
    return { task: asSubmitted(task), replayed: true };
  }

  async #tryCancel(
    row: TaskRow,
    { how, actor }: { how: 'end_now' | 'ask_worker'; actor: Actor | undefined },
  ): Promise<boolean> {
    const alongside = this.#recordOf('task.cancelled', row, actor);
    if (how === 'end_now') return this.endQueued(row, cancelledError, alongside);
    const at = toIso(this.#options.clock());
    const isAsked = await this.#options.store.requestCancel(row.id, { at, alongside });
    if (!isAsked) return false;
    this.#options.events.announce({ type: 'task_stopping', taskId: row.id, owner: row.owner });
    this.#options.askToStop(row.id);
    return true;
  }

  /** Returns the entry for the audit record. Users' actions on their own tasks are not on record. */
  #recordOf(action: string, { id, owner }: TaskRow, actor: Actor | undefined): AuditPart {
    if (actor === undefined || actor.id === owner) return noRecord;
    return this.#options.audit.part(actor, { action, target: ['task', id], details: { owner } });
  }

  async #row(owner: Owner, taskId: string): Promise<TaskRow> {
    const row = await this.#options.store.get(owner, taskId);
    if (!row) throw new AppError('task_not_found');
    return row;
  }

  #viewOptions(row: TaskRow, origin: string | undefined): TaskViewOptions {
    const position = row.phase === 'queued' ? this.#options.queue.position(row.id) : null;
    return { linkTo: (file) => this.#options.links.to(file, origin), position };
  }
}

/** Returns what is written with a task. Without a check it waits for nothing that the caller has not asked for. */
function alongside(
  { alongside: asked }: SubmitMeta,
  { row, check }: { row: TaskRow; check: RoomCheck | null },
): (trx: WriteTransaction<DispatchTables>) => Promise<void> | undefined {
  if (check === null) return (trx) => asked?.(trx, row);
  return (trx) => check(trx).then(() => asked?.(trx, row));
}

const cancelledError = newTaskError('cancelled', say('cancelled_before_start'));

function filterOf({ instanceId, owner, tag, threadId, q, since, until }: TaskCountsQuery) {
  const sinceMs = timeInRequest(['since'], since);
  const untilMs = timeInRequest(['until'], until);
  return { instanceId, owner, tag, threadId, text: q, sinceMs, untilMs };
}
