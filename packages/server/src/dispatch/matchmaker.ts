import { systemTimer, type Timer } from '../lib/async/timer.ts';
import type { Requirement } from './capability.ts';
import type { PendingTask } from './pending-entry.ts';
import { PendingQueue } from './pending-queue.ts';
import { chooseInstance, type FreeInstance } from './scheduling.ts';

/** A runner that has nothing to do. Asked anew each time, for what it can run changes. */
export interface Seeker extends FreeInstance {
  canRun: (requirement: Requirement) => boolean;
}

interface WaitingSeeker extends FreeInstance {
  seeker: Seeker;
  take: (task: PendingTask) => void;
}

/** Brings pending tasks and free instances together, whichever comes second. */
export class Matchmaker {
  readonly #queue = new PendingQueue();
  readonly #seekers = new Map<string, WaitingSeeker>();
  readonly #postponed = new Map<string, { task: PendingTask; cancel: () => void }>();
  readonly #timer: Timer;

  constructor(timer: Timer = systemTimer) {
    this.#timer = timer;
  }

  get size(): number {
    return this.#queue.size + this.#postponed.size;
  }

  sizeOf(owner: string): number {
    return this.#queue.sizeOf(owner);
  }

  has(taskId: string): boolean {
    return this.#queue.has(taskId) || this.#postponed.has(taskId);
  }

  position(taskId: string): number | null {
    if (this.#postponed.has(taskId)) return this.#queue.size + 1;
    return this.#queue.position(taskId);
  }

  add(task: PendingTask): void {
    this.#queue.add(task);
    this.#serveBestSeeker(task);
  }

  /** A task that came back from a worker waits a little before it is placed again. */
  addLater(task: PendingTask, delayMs: number): void {
    if (delayMs <= 0) {
      this.add(task);
      return;
    }
    const cancel = this.#timer(() => {
      this.#postponed.delete(task.id);
      this.add(task);
    }, delayMs);
    this.#postponed.set(task.id, { task, cancel });
  }

  remove(taskId: string): void {
    this.#postponed.get(taskId)?.cancel();
    this.#postponed.delete(taskId);
    this.#queue.remove(taskId);
  }

  charge(owner: string, seconds: number): void {
    this.#queue.charge(owner, seconds);
  }

  /** The next task for an instance, when there is one. Null when the signal aborts first. */
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

  /** What an instance can run has changed: it may now take what it could not before. */
  reconsider(instanceId: string): void {
    const waiting = this.#seekers.get(instanceId);
    const task = waiting && this.#queue.take(waiting.seeker);
    if (task) waiting.take(task);
  }

  close(): void {
    for (const { cancel } of this.#postponed.values()) cancel();
    this.#postponed.clear();
  }

  #serveBestSeeker(task: PendingTask): void {
    const capable = [...this.#seekers.values()].filter(({ seeker }) => seeker.canRun(task.requirement));
    const best = chooseInstance(task, capable);
    const taken = best && this.#queue.take(best.seeker);
    if (taken) best.take(taken);
  }
}
