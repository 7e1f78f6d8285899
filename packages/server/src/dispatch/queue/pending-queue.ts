import { requirementKey } from '../graphs/capability.ts';
import type { PendingEntry, PendingTask } from './pending-entry.ts';
import { PendingLevel, type TakeOptions } from './pending-level.ts';
import { FairShare } from './scheduling.ts';

/** A lower priority has a turn after this many picks of higher ones. */
const mostPassesOfLevel = 50;

/**
 * The pending tasks in memory, ready for "what next?": of those that the instance can run the highest priority, then
 * the owner with the least share so far, then the oldest. Two bounded exceptions: a task that fits what the instance
 * has warm goes before older ones of the same owner, and a lower priority has a turn now and then, so that nothing
 * waits for ever.
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

  has(taskId: string): boolean {
    return this.#entries.has(taskId);
  }

  /** False when it is waiting already. */
  add(task: PendingTask): boolean {
    if (this.#entries.has(task.id)) return false;
    const waiting = this.sizeOf(task.owner);
    if (waiting === 0) this.#share.arrive(task.owner);
    const entry: PendingEntry = {
      task,
      groupKey: groupKeyOf(task),
      arrival: this.#arrivals++,
      timesPassed: 0,
      places: null,
    };
    this.#entries.set(task.id, entry);
    this.#waitingOf.set(task.owner, waiting + 1);
    this.#levelOf(task.priority).add(entry, this.#share);
    return true;
  }

  get(taskId: string): PendingTask | undefined {
    return this.#entries.get(taskId)?.task;
  }

  /** False when it was not waiting. */
  remove(taskId: string): boolean {
    const entry = this.#entries.get(taskId);
    if (entry) this.#drop(entry);
    return entry !== undefined;
  }

  /** Takes the next task for an instance out of the queue; null when nothing here is for it. */
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

  /** The seconds that a finished run held its worker; they count towards its owner's share. */
  charge(owner: string, seconds: number): void {
    this.#share.charge(owner, seconds);
    if (this.#share.knownOwners > 2 * this.#waitingOf.size + 1_000) {
      this.#share.forgetIdle((known) => this.#waitingOf.has(known));
    }
  }

  /** About the how manieth a task will be, 1 is next. Null when it is not waiting. */
  position(taskId: string): number | null {
    const entry = this.#entries.get(taskId);
    if (!entry) return null;
    const { priority } = entry.task;
    let ahead = 0;
    for (const level of this.#levels.values()) if (level.priority > priority) ahead += level.size;
    return ahead + this.#levelOf(priority).position(entry);
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
    const isOverdue = (level: PendingLevel) => level.timesPassed >= mostPassesOfLevel;
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

function groupKeyOf({ requirement, avoids }: PendingTask): string {
  const key = requirementKey(requirement);
  return avoids.length === 0 ? key : JSON.stringify([key, avoids.map(({ instanceId }) => instanceId).sort()]);
}
