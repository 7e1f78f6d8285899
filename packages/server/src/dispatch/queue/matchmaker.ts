import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import type { Requirement } from '../graphs/capability.ts';
import type { PendingTask } from './pending-entry.ts';
import type { TakeOptions, TasksAhead } from './pending-level.ts';
import { PendingQueue } from './pending-queue.ts';
import { chooseInstance, type FreeInstance } from './scheduling.ts';

/** A runner that is idle. It is asked again each time, since what it can run changes. */
export interface Seeker extends FreeInstance, Pick<TakeOptions, 'canRun' | 'mayServe'> {}

interface WaitingSeeker extends FreeInstance {
  seeker: Seeker;
  take: (task: PendingTask) => void;
}

/** Brings pending tasks and free instances together, whichever arrives second. */
export class Matchmaker {
  readonly #queue = new PendingQueue();
  readonly #seekers = new Map<string, WaitingSeeker>();
  readonly #postponed = new Map<string, { task: PendingTask; untilMs: number; cancel: () => void }>();
  /** Timers for the end of each task's first avoidance. */
  readonly #lapses = new Map<string, () => void>();
  readonly #timer: Timer;
  readonly #clock: Clock;

  constructor({ timer = systemTimer, clock = systemClock }: { timer?: Timer; clock?: Clock } = {}) {
    this.#timer = timer;
    this.#clock = clock;
  }

  get size(): number {
    return this.#queue.size + this.#postponed.size;
  }

  sizeOf(owner: string): number {
    return this.#queue.sizeOf(owner);
  }

  /** The tasks that wait here. */
  get ids(): string[] {
    return [...this.#queue.ids, ...this.#postponed.keys()];
  }

  has(taskId: string): boolean {
    return this.#queue.has(taskId) || this.#postponed.has(taskId);
  }

  position(taskId: string): number | null {
    if (this.#postponed.has(taskId)) return this.#queue.size + 1;
    return this.#queue.position(taskId);
  }

  /** Returns undefined when the task does not wait here. */
  get(taskId: string): PendingTask | undefined {
    return this.#queue.get(taskId) ?? this.#postponed.get(taskId)?.task;
  }

  /** When a task that came back from a worker is placed again; null for a task that may be placed now. */
  postponedUntilMs(taskId: string): number | null {
    return this.#postponed.get(taskId)?.untilMs ?? null;
  }

  /** Returns what goes before a task. A task that is postponed comes after all others. */
  ahead(taskId: string): TasksAhead | null {
    const postponed = this.#postponed.get(taskId);
    if (!postponed) return this.#queue.ahead(taskId);
    const own = this.#queue.sizeOf(postponed.task.owner);
    return { total: this.#queue.size, higherPriority: 0, own, others: this.#queue.size - own, rivals: 0 };
  }

  /** Returns how many of the tasks ahead have a requirement of this kind. */
  competing(taskId: string, isOfKind: (requirement: Requirement) => boolean): number {
    return this.#postponed.has(taskId) ? this.#queue.size : this.#queue.competing(taskId, isOfKind);
  }

  add(task: PendingTask): void {
    const now = this.#clock();
    const avoids = task.avoids.filter(({ untilMs }) => untilMs > now);
    const added = avoids.length === task.avoids.length ? task : { ...task, avoids };
    if (this.#queue.add(added) && avoids.length > 0) {
      this.#planLapse(added.id, Math.min(...avoids.map(({ untilMs }) => untilMs)) - now);
    }
    this.#serveBestSeeker(added);
  }

  /** A task that came back from a worker waits a little before it is placed again. */
  addLater(task: PendingTask, delayMs: number): void {
    if (delayMs <= 0) {
      this.add(task);
      return;
    }
    const cancel = this.#timer(() => {
      const postponed = this.#postponed.get(task.id);
      this.#postponed.delete(task.id);
      this.add(postponed?.task ?? task);
    }, delayMs);
    this.#postponed.set(task.id, { task, untilMs: this.#clock() + delayMs, cancel });
  }

  remove(taskId: string): void {
    this.#postponed.get(taskId)?.cancel();
    this.#postponed.delete(taskId);
    this.#lapses.get(taskId)?.();
    this.#lapses.delete(taskId);
    this.#queue.remove(taskId);
  }

  /** The task goes before the others of its owner with the same priority from now on. */
  moveToFront(taskId: string, frontMs: number): void {
    const postponed = this.#postponed.get(taskId);
    if (postponed) postponed.task = { ...postponed.task, frontMs };
    const task = this.#queue.get(taskId);
    if (!task) return;
    this.#queue.remove(taskId);
    this.add({ ...task, frontMs });
  }

  charge(owner: string, seconds: number): void {
    this.#queue.charge(owner, seconds);
  }

  /** Returns the next task for an instance once there is one, or null when the signal aborts first. */
  next(seeker: Seeker, signal: AbortSignal): Promise<PendingTask | null> {
    if (signal.aborted) return Promise.resolve(null);
    const task = this.#queue.take(seeker);
    if (task) return Promise.resolve(task);
    return new Promise((resolve) => {
      const onAbort = (): void => {
        this.#seekers.delete(seeker.id);
        resolve(null);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#seekers.set(seeker.id, {
        ...seeker,
        seeker,
        take: (taken) => {
          this.#seekers.delete(seeker.id);
          signal.removeEventListener('abort', onAbort);
          resolve(taken);
        },
      });
    });
  }

  /** The instance can run other things than before: it may now take a task that it could not take before. */
  reconsider(instanceId: string): void {
    const waiting = this.#seekers.get(instanceId);
    const task = waiting && this.#queue.take(waiting.seeker);
    if (task) waiting.take(task);
  }

  close(): void {
    for (const { cancel } of this.#postponed.values()) cancel();
    this.#postponed.clear();
    for (const cancel of this.#lapses.values()) cancel();
    this.#lapses.clear();
  }

  /** When the avoidance ends, the task goes back to its place with its remaining avoidances. */
  #planLapse(taskId: string, delayMs: number): void {
    this.#lapses.get(taskId)?.();
    const cancel = this.#timer(() => {
      this.#lapses.delete(taskId);
      const task = this.#queue.get(taskId);
      if (!task) return;
      this.#queue.remove(taskId);
      this.add(task);
    }, delayMs);
    this.#lapses.set(taskId, cancel);
  }

  #serveBestSeeker(task: PendingTask): void {
    const capable = [...this.#seekers.values()].filter(
      ({ seeker }) =>
        !task.avoids.some(({ instanceId }) => instanceId === seeker.id) &&
        seeker.canRun(task.requirement) &&
        seeker.mayServe(task.owner, task.requirement),
    );
    const best = chooseInstance(task, capable);
    const taken = best && this.#queue.take(best.seeker);
    if (taken) best.take(taken);
  }
}
