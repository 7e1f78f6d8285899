import type { NewTask } from '@switchyard/contract/dispatch/tasks';
import { AppError } from '../../lib/app-error.ts';
import type { Job, Jobs } from '../../platform/jobs/jobs.ts';
import { StoredWork } from '../batches/stored-work.ts';
import type { RequestedTask } from '../intake/task-submission.ts';
import type { Tasks } from '../intake/tasks.ts';
import type { SavedWorkflows } from '../workflows/saved-workflows.ts';
import { type CellRow, CellTaken, type SweepRow, type SweepStore } from './sweep-store.ts';

export const fillSweep = 'dispatch.fill-sweep';
export const cancelSweep = 'dispatch.cancel-sweep';

const cellsRead = 100;
const lanes = 8;

/** Makes the tasks of sweeps. A task and its cell are one unit, so that no cell gets two tasks. */
export class SweepWorker {
  readonly #options;
  readonly work: StoredWork<SweepRow, CellRow>;

  constructor(options: {
    store: SweepStore;
    tasks: Pick<Tasks, 'submitRequest' | 'cancel'>;
    savedWorkflows: Pick<SavedWorkflows, 'requestsOf'>;
    jobs: Pick<Jobs, 'register' | 'add'>;
    /** Called when the state of a sweep has changed apart from its tasks. */
    onChanged: (sweep: SweepRow) => void;
  }) {
    this.#options = options;
    const { store, jobs, onChanged } = options;
    this.work = new StoredWork({
      kind: fillSweep,
      jobs,
      lanes,
      openIds: () => store.openIds(),
      find: (id) => store.byId(id),
      itemsAfter: ({ id }, last) => store.waiting(id, { after: last?.cell ?? -1, limit: cellsRead }),
      begin: async (sweep) => {
        const requestOf = await this.#requestsOf(sweep);
        return (cell) => this.#make(sweep, cell, requestOf);
      },
      setWait: async (sweep, waitsFor) => {
        await store.setWait(sweep.id, waitsFor);
        onChanged(sweep);
      },
      finish: async (sweep) => {
        await store.close(sweep.id);
        onChanged(sweep);
      },
    });
    jobs.register(cancelSweep, (job) => this.#cancel(job), { concurrency: 2 });
  }

  async #make(sweep: SweepRow, cell: CellRow, requestOf: RequestOf): Promise<void> {
    const { store, tasks } = this.#options;
    const { id, owner, byAdmin, requestId } = sweep;
    const values = JSON.parse(cell.values) as Record<string, unknown>;
    try {
      await tasks.submitRequest(
        values,
        async () => ({ ...requestOf(values), sweep: { id, cell: cell.cell } }),
        {
          userId: owner,
          byAdmin: byAdmin === 1,
          requestId,
          idempotencyKey: null,
          alongside: (trx, task) => store.noteTask(trx, cell, task.id),
        },
      );
    } catch (error) {
      if (error instanceof CellTaken) return;
      if (!(error instanceof AppError) || error.code === 'queue_full' || error.status >= 500) throw error;
      const { code, message, sentences } = error;
      await store.refuse(cell, JSON.stringify({ code, message, sentences }));
    }
  }

  /** The workflow is read once for many cells. When it is gone, each cell says so. */
  async #requestsOf(sweep: SweepRow): Promise<RequestOf> {
    const { workflowId, version, owner } = sweep;
    const common = JSON.parse(sweep.params) as Record<string, unknown>;
    const settings = JSON.parse(sweep.settings) as Partial<NewTask>;
    try {
      const { requestOf } = await this.#options.savedWorkflows.requestsOf(owner, { workflowId, version });
      return (values) => {
        const { input, ...rest } = requestOf({ ...common, ...values });
        return { ...rest, input: { ...input, ...settings } };
      };
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      return () => {
        throw error;
      };
    }
  }

  /** A cancel that is done twice, after a crash, changes nothing the second time. */
  async #cancel({ payload, signal }: Job): Promise<void> {
    const { store, tasks } = this.#options;
    const taskIds = await store.openTaskIds(String(payload.sweepId), String(payload.madeBy));
    const owner = { user: String(payload.owner) };
    for (let start = 0; start < taskIds.length; start += lanes) {
      signal.throwIfAborted();
      const part = taskIds.slice(start, start + lanes);
      await Promise.all(part.map((taskId) => tasks.cancel({ owner }, taskId).catch(unlessEnded)));
    }
  }
}

type RequestOf = (values: Record<string, unknown>) => RequestedTask;

/** A task that has ended meanwhile needs no cancel. */
function unlessEnded(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'task_finished') throw error;
}

export function cancelJob({ id, owner }: SweepRow, madeBy: string) {
  return { kind: cancelSweep, key: id, payload: { sweepId: id, owner, madeBy } };
}
