import type { NewTask } from '@switchyard/contract/dispatch/tasks';
import { AppError } from '../../lib/app-error.ts';
import type { Job, Jobs } from '../../platform/jobs/jobs.ts';
import type { RequestedTask } from '../intake/task-submission.ts';
import type { Tasks } from '../intake/tasks.ts';
import type { SavedWorkflows } from '../workflows/saved-workflows.ts';
import { type CellRow, CellTaken, type SweepRow, type SweepStore } from './sweep-store.ts';

export const fillSweep = 'dispatch.fill-sweep';
export const cancelSweep = 'dispatch.cancel-sweep';

const cellsRead = 100;
/** Tasks that are made at once: they share commits, and leave the writer to other requests as well. */
const lanes = 8;
const waitForRoomMs = 5_000;

/**
 * Makes the tasks of sweeps. A task and its cell are one unit, so a sweep goes on where a process has left it, and no cell
 * gets two tasks.
 */
export class SweepWorker {
  readonly #options;

  constructor(options: {
    store: SweepStore;
    tasks: Pick<Tasks, 'submitRequest' | 'cancel'>;
    savedWorkflows: Pick<SavedWorkflows, 'requestsOf'>;
    jobs: Pick<Jobs, 'register' | 'add'>;
    /** Called when the state of a sweep has changed apart from its tasks. */
    onChanged: (sweep: SweepRow) => void;
  }) {
    this.#options = options;
    options.jobs.register(fillSweep, (job) => this.#fill(job), { concurrency: 2 });
    options.jobs.register(cancelSweep, (job) => this.#cancel(job), { concurrency: 2 });
  }

  /** Goes on with sweeps whose jobs have died. */
  async start(): Promise<void> {
    const { store, jobs } = this.#options;
    for (const sweepId of await store.openIds()) await jobs.add(fillJob(sweepId));
  }

  async #fill({ payload, signal }: Job): Promise<void> {
    const { store, onChanged } = this.#options;
    const sweep = await store.byId(String(payload.sweepId));
    if (!sweep) return;
    for (let after = -1; ; ) {
      const cells = await store.waiting(sweep.id, { after, limit: cellsRead });
      if (cells.length === 0) break;
      if (!(await this.#makeAll(sweep, cells, signal))) return this.#waitForRoom(sweep);
      after = cells.at(-1)?.cell ?? after;
    }
    await store.close(sweep.id);
    onChanged(sweep);
  }

  /** Returns false when the queue takes no more tasks for now. */
  async #makeAll(sweep: SweepRow, cells: readonly CellRow[], signal: AbortSignal): Promise<boolean> {
    const { store, onChanged } = this.#options;
    const requestOf = await this.#requestsOf(sweep);
    for (let start = 0; start < cells.length; start += lanes) {
      signal.throwIfAborted();
      const part = cells.slice(start, start + lanes);
      const made = await Promise.all(part.map((cell) => this.#make(sweep, cell, requestOf)));
      if (made.includes(false)) return false;
      if (sweep.waitsFor === null) continue;
      sweep.waitsFor = null;
      await store.setWait(sweep.id, null);
      onChanged(sweep);
    }
    return true;
  }

  async #make(sweep: SweepRow, cell: CellRow, requestOf: RequestOf): Promise<boolean> {
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
      if (error instanceof CellTaken) return true;
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'queue_full') return false;
      if (error.status >= 500) throw error;
      const { code, message, sentences } = error;
      await store.refuse(cell, JSON.stringify({ code, message, sentences }));
    }
    return true;
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

  async #waitForRoom(sweep: SweepRow): Promise<void> {
    const { store, jobs, onChanged } = this.#options;
    await store.setWait(sweep.id, 'The queue is full. The sweep goes on when there is room.');
    await jobs.add({ ...fillJob(sweep.id), waitMs: waitForRoomMs });
    onChanged(sweep);
  }
}

type RequestOf = (values: Record<string, unknown>) => RequestedTask;

/** A task that has ended meanwhile needs no cancel. */
function unlessEnded(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'task_finished') throw error;
}

export function fillJob(sweepId: string) {
  return { kind: fillSweep, key: sweepId, payload: { sweepId } };
}

export function cancelJob({ id, owner }: SweepRow, madeBy: string) {
  return { kind: cancelSweep, key: id, payload: { sweepId: id, owner, madeBy } };
}
