import { AppError } from '../../lib/app-error.ts';
import { toIso } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import { type Actor, type AuditPart, noRecord } from '../../platform/audit/audit.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { Matchmaker } from '../queue/matchmaker.ts';
import type { TaskStore } from '../tasks/task-store.ts';

/** Moves waiting tasks to the front of their owner's line. */
export class TaskFront {
  readonly #options;

  constructor(
    options: Pick<DispatchParts, 'events' | 'audit' | 'clock'> & {
      store: Pick<TaskStore, 'get' | 'moveToFront'>;
      queue: Pick<Matchmaker, 'moveToFront' | 'position'>;
    },
  ) {
    this.#options = options;
  }

  /** It is on record when somebody else than the owner of the task does it. */
  async move(owner: Owner, taskId: string, actor: Actor): Promise<void> {
    const { store, audit, clock } = this.#options;
    const row = await store.get(owner, taskId);
    if (!row) throw new AppError('task_not_found');
    const entry = {
      action: 'task.moved_to_front',
      target: ['task', taskId],
      details: { owner: row.owner },
    } as const;
    const alongside = row.owner === actor.id ? noRecord : audit.part(actor, entry);
    await this.#move(taskId, { atMs: clock(), alongside });
  }

  /** Tasks that are moved at the same time keep their order among themselves. The batch itself is on record. */
  async moveInBatch(owner: Owner, taskId: string, atMs: number): Promise<void> {
    if (!(await this.#options.store.get(owner, taskId))) throw new AppError('task_not_found');
    await this.#move(taskId, { atMs, alongside: noRecord });
  }

  async #move(taskId: string, { atMs, alongside }: { atMs: number; alongside: AuditPart }): Promise<void> {
    const { store, queue, events } = this.#options;
    const moved = await store.moveToFront(taskId, { at: toIso(atMs), alongside });
    if (!moved) throw new AppError('task_not_waiting');
    queue.moveToFront(taskId, atMs);
    events.announce({ type: 'task_moved', task: moved, position: queue.position(taskId) });
  }
}
