import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Job, Jobs } from '../../platform/jobs/jobs.ts';
import type { TaskFront } from '../intake/task-front.ts';
import type { Tasks } from '../intake/tasks.ts';
import { type BatchItemRow, type BatchRow, ItemHasOutcome, type TaskBatchStore } from './task-batch-store.ts';

export const runBatch = 'dispatch.task-batch';

/** The task went on before its turn came. */
const overtaken: readonly string[] = ['task_finished', 'task_not_waiting'];

const tasksRead = 200;
/** Tasks of a batch that are worked on at once: they share commits, and leave the writer to other requests as well. */
const lanes = 16;
const waitForRoomMs = 5_000;

/** Works through batches. Each task has its outcome in its row, so that a batch goes on where a process has left it. */
export class BatchWorker {
  readonly #options;

  constructor(options: {
    store: TaskBatchStore;
    tasks: Pick<Tasks, 'cancel' | 'retry'>;
    front: Pick<TaskFront, 'moveInBatch'>;
    jobs: Pick<Jobs, 'register' | 'add'>;
    /** Called when a batch has finished here. */
    onFinished: (batchId: string) => void;
    clock: Clock;
  }) {
    this.#options = options;
    options.jobs.register(runBatch, (job) => this.#run(job), { concurrency: 2 });
  }

  /** Goes on with batches whose jobs have died. */
  async start(): Promise<void> {
    const { store, jobs } = this.#options;
    for (const batchId of await store.unfinishedIds()) await jobs.add(jobOf(batchId));
  }

  async #run({ payload, signal }: Job): Promise<void> {
    const { store, clock, onFinished } = this.#options;
    const batch = await store.get({ system: 'a batch of tasks' }, String(payload.batchId));
    if (!batch || batch.finishedAt !== null) return;
    for (let after = ''; ; ) {
      const taskIds = await store.openTaskIds(batch.id, { after, limit: tasksRead });
      if (taskIds.length === 0) break;
      if (!(await this.#takeAll(batch, taskIds, signal))) return this.#waitForRoom(batch);
      after = taskIds.at(-1) ?? after;
    }
    await store.finish(batch.id, toIso(clock()));
    onFinished(batch.id);
  }

  /** Returns false when the queue takes no more copies for now. */
  async #takeAll(batch: BatchRow, taskIds: readonly string[], signal: AbortSignal): Promise<boolean> {
    for (let start = 0; start < taskIds.length; start += lanes) {
      signal.throwIfAborted();
      const part = taskIds.slice(start, start + lanes);
      const taken = await Promise.all(part.map((taskId) => this.#take(batch, taskId)));
      if (taken.includes(false)) return false;
      if (batch.waitsFor !== null) {
        batch.waitsFor = null;
        await this.#options.store.setWait(batch.id, null);
      }
    }
    return true;
  }

  async #take(batch: BatchRow, taskId: string): Promise<boolean> {
    const item = { batchId: batch.id, taskId, newTaskId: null, error: null };
    try {
      if (batch.action === 'retry') await this.#retry(batch, item);
      else if (batch.action === 'front') await this.#moveToFront(batch, item);
      else await this.#cancel(batch, item);
    } catch (error) {
      if (error instanceof ItemHasOutcome) return true;
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'queue_full') return false;
      const outcome = overtaken.includes(error.code) ? 'skipped' : 'failed';
      const { code, message } = error;
      await this.#options.store.note({ ...item, outcome, error: JSON.stringify({ code, message }) });
    }
    return true;
  }

  async #retry(batch: BatchRow, item: Pick<BatchItemRow, 'batchId' | 'taskId'>): Promise<void> {
    const { store, tasks } = this.#options;
    await tasks.retry({ owner: reachOf(batch), origin: undefined }, item.taskId, {
      userId: batch.owner,
      byAdmin: batch.reach === 'all',
      requestId: batch.requestId,
      idempotencyKey: null,
      alongside: (trx, { id }) => store.noteCopy(trx, item, id),
    });
  }

  /** A cancel that is done twice, after a crash, changes nothing the second time. */
  async #cancel(batch: BatchRow, item: Omit<BatchItemRow, 'outcome'>): Promise<void> {
    const { store, tasks } = this.#options;
    await tasks.cancel({ owner: reachOf(batch), origin: undefined }, item.taskId);
    await store.note({ ...item, outcome: 'done' });
  }

  /** All tasks are moved at the time of the batch, so that they keep their order, also after a crash. */
  async #moveToFront(batch: BatchRow, item: Omit<BatchItemRow, 'outcome'>): Promise<void> {
    const { store, front } = this.#options;
    await front.moveInBatch(reachOf(batch), item.taskId, Date.parse(batch.createdAt));
    await store.note({ ...item, outcome: 'done' });
  }

  async #waitForRoom({ id }: BatchRow): Promise<void> {
    const { store, jobs } = this.#options;
    await store.setWait(id, 'The queue is full. The batch goes on when there is room.');
    await jobs.add({ ...jobOf(id), waitMs: waitForRoomMs });
  }
}

export function jobOf(batchId: string) {
  return { kind: runBatch, key: batchId, payload: { batchId } };
}

/** Returns what the user who made the batch could reach then. */
function reachOf({ owner, reach }: BatchRow): Owner {
  return reach === 'all' ? { admin: owner } : { user: owner };
}
