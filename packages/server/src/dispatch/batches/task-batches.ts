import {
  maxTasksInBatch,
  type NewTaskBatch,
  type TaskBatch,
  type TaskBatchItem,
} from '@switchyard/contract/dispatch/task-batches';
import { timeInRequest } from '../../http/validation/time-in-request.ts';
import { AppError } from '../../lib/app-error.ts';
import { deadline } from '../../lib/async/deadline.ts';
import { toIso } from '../../lib/clock.ts';
import { newTimeOrderedId } from '../../lib/ids.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { DispatchEvents } from '../dispatch-events.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { TaskFront } from '../intake/task-front.ts';
import { bodyHashOf } from '../intake/task-submission.ts';
import type { Tasks } from '../intake/tasks.ts';
import { ofStatus, type TaskListStore } from '../tasks/task-list-store.ts';
import { BatchWorker, runBatch } from './batch-worker.ts';
import { faulty, requireOneChoice, statusesOf, viewBatch, viewCount, viewItem } from './task-batch.ts';
import type { BatchRow, TaskBatchStore } from './task-batch-store.ts';

interface BatchRequest {
  owner: Owner;
  actor: Actor;
  idempotencyKey: string | null;
}

interface Chosen {
  id: string;
  owner: string;
}

const auditActions = {
  cancel: 'tasks.cancelled',
  retry: 'tasks.retried',
  front: 'tasks.moved_to_front',
} as const;

interface TaskBatchesOptions extends Pick<DispatchParts, 'jobs' | 'audit' | 'clock'> {
  store: TaskBatchStore;
  lists: Pick<TaskListStore, 'idsOf' | 'ownersOf'>;
  tasks: Pick<Tasks, 'cancel' | 'retry'>;
  front: Pick<TaskFront, 'moveInBatch'>;
  events: Pick<DispatchEvents, 'announce' | 'listen'>;
}

/** Cancels, repeats and moves many tasks at once. */
export class TaskBatches {
  readonly #options;
  readonly #worker: BatchWorker;
  /** Requests that wait for the end of a batch. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(options: TaskBatchesOptions) {
    this.#options = options;
    const { events } = options;
    events.listen((event) => {
      if (event.type === 'batch_finished') this.#wake(event.batchId);
    });
    const onFinished = (batchId: string): void => events.announce({ type: 'batch_finished', batchId });
    this.#worker = new BatchWorker({ ...options, onFinished });
  }

  async start(): Promise<void> {
    await this.#worker.work.start();
  }

  /** Returns a batch that has begun, the earlier one for the same key, or the count alone. */
  async create(input: NewTaskBatch, request: BatchRequest): Promise<{ batch: TaskBatch; replayed: boolean }> {
    requireOneChoice(input);
    const bodyHash = bodyHashOf(input);
    const earlier = await this.#earlier(input, request);
    if (earlier) return this.#replay(earlier, { bodyHash, request });
    const chosen = await this.#choose(input, request.owner);
    if (input.dryRun) {
      const isMinimum = chosen.length > maxTasksInBatch;
      const batch = viewCount(input.action, Math.min(chosen.length, maxTasksInBatch), isMinimum);
      return { batch, replayed: false };
    }
    requireSize(chosen, input.count);
    const row = this.#newRow(input, { ...request, bodyHash, total: chosen.length });
    const simultaneous = await this.#options.store.insert(row, {
      taskIds: chosen.map(({ id }) => id),
      alongside: async (trx) => {
        await this.#options.jobs.enqueue(trx, this.#worker.work.jobOf(row.id));
        const others = chosen.filter(({ owner }) => owner !== row.owner).length;
        const action = auditActions[row.action];
        const details = { tasks: row.total, ofOthers: others, choice: row.choice };
        if (others > 0)
          await this.#options.audit.part(request.actor, { action, target: ['batch', row.id], details })(trx);
      },
    });
    if (simultaneous) return this.#replay(simultaneous, { bodyHash, request });
    this.#options.jobs.wake(runBatch);
    return { batch: viewBatch({ ...row, done: 0, skipped: 0, failed: 0 }), replayed: false };
  }

  async get(owner: Owner, batchId: string): Promise<TaskBatch> {
    const row = await this.#options.store.withCounts(owner, batchId);
    if (!row) throw new AppError('task_batch_not_found');
    return viewBatch(row);
  }

  /** Ends the waits for batches that have finished, in case their event was lost. */
  async endWaits(): Promise<void> {
    for (const batchId of [...this.#waiting.keys()]) {
      const row = await this.#options.store.get({ system: 'a request that waits for a batch' }, batchId);
      if (!row || row.finishedAt !== null) this.#wake(batchId);
    }
  }

  #wake(batchId: string): void {
    for (const end of [...(this.#waiting.get(batchId) ?? [])]) end();
  }

  /** Returns the batch when it has finished, or when the time is over. */
  async wait(
    owner: Owner,
    batchId: string,
    { waitMs, signal }: { waitMs: number; signal: AbortSignal },
  ): Promise<TaskBatch> {
    const { signal: over, release } = deadline(waitMs, signal);
    await new Promise<void>((resolve, reject) => {
      const waiting = this.#waiting.get(batchId) ?? new Set();
      const end = (): void => {
        waiting.delete(end);
        if (waiting.size === 0) this.#waiting.delete(batchId);
        resolve();
      };
      this.#waiting.set(batchId, waiting.add(end));
      over.addEventListener('abort', end, { once: true });
      // It may have finished before this request began to listen.
      this.get(owner, batchId).then(({ state }) => {
        if (state === 'finished' || over.aborted) end();
      }, reject);
    }).finally(release);
    return this.get(owner, batchId);
  }

  async items(
    owner: Owner,
    batchId: string,
    {
      outcome,
      limit,
      cursor,
    }: { outcome?: TaskBatchItem['outcome']; limit: number; cursor: string | undefined },
  ): Promise<{ items: TaskBatchItem[]; nextCursor: string | null }> {
    await this.get(owner, batchId);
    const page = { outcome: outcome ?? undefined, after: cursor ?? '', limit: limit + 1 };
    const rows = await this.#options.store.items(batchId, page);
    const items = rows.slice(0, limit).map(viewItem);
    return { items, nextCursor: rows.length > limit ? (items.at(-1)?.taskId ?? null) : null };
  }

  async forgetFinishedBefore(at: string): Promise<void> {
    await this.#options.store.forgetFinishedBefore(at);
  }

  async #earlier({ dryRun }: NewTaskBatch, { actor, idempotencyKey }: BatchRequest) {
    if (idempotencyKey === null || dryRun) return undefined;
    return this.#options.store.byKey(actor.id, idempotencyKey);
  }

  async #replay(
    earlier: BatchRow,
    { bodyHash, request }: { bodyHash: string; request: BatchRequest },
  ): Promise<{ batch: TaskBatch; replayed: boolean }> {
    if (earlier.bodyHash !== bodyHash) throw new AppError('idempotency_mismatch');
    return { batch: await this.get({ user: request.actor.id }, earlier.id), replayed: true };
  }

  /** One more than the maximum shows that there are too many. */
  async #choose({ action, taskIds, filter = {} }: NewTaskBatch, owner: Owner): Promise<Chosen[]> {
    const { lists } = this.#options;
    if (taskIds === undefined) {
      const { since, until, q, status, ...rest } = filter;
      const { cancelled } = ofStatus(status);
      const times = {
        sinceMs: timeInRequest(['filter', 'since'], since, 'body'),
        untilMs: timeInRequest(['filter', 'until'], until, 'body'),
      };
      return lists.idsOf(
        owner,
        { ...rest, ...times, cancelled, text: q },
        { statuses: statusesOf(action, filter), limit: maxTasksInBatch + 1 },
      );
    }
    const found = await lists.ownersOf(owner, taskIds);
    const known = new Set(found.map(({ id }) => id));
    const missing = taskIds.find((id) => !known.has(id));
    if (missing === undefined) return found;
    throw new AppError('task_not_found', {
      message: `No such task: ${missing}. GET /api/tasks lists your tasks. No task of this batch was changed.`,
    });
  }

  #newRow(
    { action, taskIds, filter }: NewTaskBatch,
    { owner, actor, idempotencyKey, bodyHash, total }: BatchRequest & { bodyHash: string; total: number },
  ): BatchRow {
    const now = this.#options.clock();
    return {
      id: newTimeOrderedId(now),
      owner: actor.id,
      reach: 'admin' in owner ? 'all' : 'own',
      action,
      choice: taskIds ? `${taskIds.length} tasks by their ids` : JSON.stringify(filter ?? {}),
      idempotencyKey,
      bodyHash,
      total,
      waitsFor: null,
      requestId: actor.requestId,
      createdAt: toIso(now),
      finishedAt: null,
    };
  }
}

function requireSize(chosen: readonly Chosen[], confirmed: number | undefined): void {
  if (chosen.length > maxTasksInBatch) {
    const many = maxTasksInBatch.toLocaleString('en');
    throw faulty(
      ['filter'],
      `More than ${many} tasks fit. Narrow the filter, for example with since and until.`,
    );
  }
  if (confirmed === undefined || confirmed === chosen.length) return;
  throw new AppError('task_batch_changed', {
    message: `${chosen.length} tasks fit by now, and not ${confirmed}. Count again with dryRun, then confirm that count.`,
  });
}
