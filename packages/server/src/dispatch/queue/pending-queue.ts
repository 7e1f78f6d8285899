import type { Requirement } from '../graphs/capability.ts';
import type { PendingEntry, PendingTask } from './pending-entry.ts';
import { PendingLevel, type TakeOptions, type TasksAhead } from './pending-level.ts';
import { FairShare } from './scheduling.ts';

/** A lower priority has a turn after this many picks of higher ones. */
const maxPassesOfLevel = 50;

/**
 * The pending tasks in memory, ready for "what next?": among those that the instance can run, the highest priority,
 * then the owner with the least share so far, then the oldest. Two bounded exceptions: a task whose models or graph the
 * instance has loaded goes before older ones of the same owner, and a lower priority has a turn now and then, so that
 * nothing waits for ever.
 */
export class PendingQueue {
  readonly #entries = new Map<string, PendingEntry>();
  readonly #levels = new Map<number, PendingLevel>();
  readonly #waitingOf = new Map<string, number>();
  readonly #share = new FairShare();
  #arrivals = 0;

  get size(): number {
    return this.#entries.size;
  }

  sizeOf(owner: string): number {
    return this.#waitingOf.get(owner) ?? 0;
  }

  get ids(): Iterable<string> {
    return this.#entries.keys();
  }

  has(taskId: string): boolean {
    return this.#entries.has(taskId);
  }

  /** Returns false when it is already waiting. */
  add(task: PendingTask): boolean {
    if (this.#entries.has(task.id)) return false;
    const waiting = this.sizeOf(task.owner);
    if (waiting === 0) this.#share.arrive(task.owner);
    const level = this.#levelOf(task.priority);
    this.#entries.set(task.id, level.add(task, { arrival: this.#arrivals++, share: this.#share }));
    this.#waitingOf.set(task.owner, waiting + 1);
    return true;
  }

  get(taskId: string): PendingTask | undefined {
    return this.#entries.get(taskId)?.task;
  }

  /** Returns false when it was not waiting. */
  remove(taskId: string): boolean {
    const entry = this.#entries.get(taskId);
    if (entry) this.#drop(entry);
    return entry !== undefined;
  }

  /** Removes and returns the next task for an instance; null when no task here is for it. */
  take(options: TakeOptions): PendingTask | null {
    for (const level of this.#levelsInTurn()) {
      const entry = level.choose(options, this.#share);
      if (!entry) continue;
      this.#notePasses(level);
      this.#drop(entry);
      this.#share.start(entry.task.owner);
      return entry.task;
    }
    return null;
  }

  /** Adds the seconds that an execution held its worker to its owner's share. */
  charge(owner: string, seconds: number): void {
    this.#share.charge(owner, seconds);
    if (this.#share.knownOwners > 2 * this.#waitingOf.size + 1_000) {
      this.#share.forgetIdle((known) => this.#waitingOf.has(known));
    }
  }

  /** Estimated position in the queue; 1 is next. Returns null when the task is not waiting. */
  position(taskId: string): number | null {
    const ahead = this.ahead(taskId);
    return ahead && ahead.total + 1;
  }

  /** Estimates what goes before a task. Returns null when the task is not waiting. */
  ahead(taskId: string): TasksAhead | null {
    const entry = this.#entries.get(taskId);
    if (!entry) return null;
    const higherPriority = this.#levelsAbove(entry).reduce((sum, { size }) => sum + size, 0);
    const { own, others, rivals } = this.#levelOf(entry.task.priority).ahead(entry, this.#share);
    return { total: higherPriority + own + others, higherPriority, own, others, rivals };
  }

  /**
   * Returns how many of the tasks that go before this one have a requirement of this kind; all of them when that is too long to
   * count.
   */
  competing(taskId: string, isOfKind: (requirement: Requirement) => boolean): number {
    const entry = this.#entries.get(taskId);
    if (!entry) return 0;
    const level = this.#levelOf(entry.task.priority);
    const { own, others } = level.ahead(entry, this.#share);
    const here = level.competing(entry, this.#share, isOfKind) ?? own + others;
    return this.#levelsAbove(entry).reduce(
      (sum, above) => sum + (above.competing(null, this.#share, isOfKind) ?? above.size),
      here,
    );
  }

  #levelsAbove({ task }: PendingEntry): PendingLevel[] {
    return [...this.#levels.values()].filter(({ priority }) => priority > task.priority);
  }

  #levelOf(priority: number): PendingLevel {
    let level = this.#levels.get(priority);
    if (!level) {
      level = new PendingLevel(priority);
      this.#levels.set(priority, level);
    }
    return level;
  }

  #levelsInTurn(): PendingLevel[] {
    const levels = [...this.#levels.values()];
    if (levels.length < 2) return levels;
    const isOverdue = (level: PendingLevel) => level.timesPassed >= maxPassesOfLevel;
    return levels.sort((a, b) => Number(isOverdue(b)) - Number(isOverdue(a)) || b.priority - a.priority);
  }

  #notePasses(served: PendingLevel): void {
    served.timesPassed = 0;
    for (const level of this.#levels.values()) if (level.priority < served.priority) level.timesPassed++;
  }

  #drop(entry: PendingEntry): void {
    const { id, owner, priority } = entry.task;
    this.#entries.delete(id);
    const waiting = this.sizeOf(owner) - 1;
    if (waiting > 0) this.#waitingOf.set(owner, waiting);
    else this.#waitingOf.delete(owner);
    const level = this.#levelOf(priority);
    level.remove(entry);
    if (level.size === 0) this.#levels.delete(priority);
  }
}
