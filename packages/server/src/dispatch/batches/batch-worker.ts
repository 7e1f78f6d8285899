import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { TaskFront } from '../intake/task-front.ts';
import type { Tasks } from '../intake/tasks.ts';
import { StoredWork } from './stored-work.ts';
import { type BatchItemRow, type BatchRow, ItemHasOutcome, type TaskBatchStore } from './task-batch-store.ts';

export const runBatch = 'dispatch.task-batch';

/** The task went on before its turn came. */
const overtaken: readonly string[] = ['task_finished', 'task_not_waiting'];

const tasksRead = 200;

/** Cancels, repeats or moves each task of a batch. */
export class BatchWorker {
  readonly #options;
  readonly work: StoredWork<BatchRow, string>;

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
    const { store, jobs, clock, onFinished } = options;
    this.work = new StoredWork({
      kind: runBatch,
      jobs,
      lanes: 16,
      openIds: () => store.unfinishedIds(),
      find: async (id) => {
        const batch = await store.get({ system: 'a batch of tasks' }, id);
        return batch?.finishedAt === null ? batch : undefined;
      },
      itemsAfter: ({ id }, after = '') => store.openTaskIds(id, { after, limit: tasksRead }),
      begin: async (batch) => (taskId) => this.#take(batch, taskId),
      setWait: ({ id }, waitsFor) => store.setWait(id, waitsFor),
      finish: async ({ id }) => {
        await store.finish(id, toIso(clock()));
        onFinished(id);
      },
    });
  }

  async #take(batch: BatchRow, taskId: string): Promise<void> {
    const item = { batchId: batch.id, taskId, newTaskId: null, error: null };
    try {
      if (batch.action === 'retry') await this.#retry(batch, item);
      else if (batch.action === 'front') await this.#moveToFront(batch, item);
      else await this.#cancel(batch, item);
    } catch (error) {
      if (error instanceof ItemHasOutcome) return;
      if (!(error instanceof AppError) || error.code === 'queue_full') throw error;
      const outcome = overtaken.includes(error.code) ? 'skipped' : 'failed';
      const { code, message } = error;
      await this.#options.store.note({ ...item, outcome, error: JSON.stringify({ code, message }) });
    }
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
}

/** Returns what the user who made the batch could reach then. */
function reachOf({ owner, reach }: BatchRow): Owner {
  return reach === 'all' ? { admin: owner } : { user: owner };
}
