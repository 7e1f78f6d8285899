import { systemTimer, type Timer } from '../../../lib/async/timer.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { WaitingRun } from '../records/run-store.ts';
import type { RunExecutor } from './run-executor.ts';
import type { RunWorker } from './run-leases.ts';
import { type Place, type RunLine, RunSlots } from './run-line.ts';

const retryMs = 1_000;

/**
 * The line of a process that shares nothing: it hands runs to the executor when they are admitted, when they are due, and when
 * another run is done.
 */
export class RunScheduler implements RunLine {
  readonly listens = true;
  readonly #options;
  readonly #timer: Timer;
  readonly #queue = new RunQueue();
  /** Runs that are not due yet, by id. */
  readonly #later = new Map<string, { run: WaitingRun; cancel: () => void }>();
  readonly #slots: RunSlots<Pick<WaitingRun, 'run_id' | 'thread_id' | 'user_id'>>;
  #isClosed = false;

  constructor(options: {
    executor: Pick<RunExecutor, 'execute' | 'expect' | 'isAtWork'>;
    worker: Pick<RunWorker, 'id'>;
    /** The number of runs that work at the same time. */
    slots: number;
    clock: Clock;
    timer?: Timer;
    onFault: (error: unknown, run: WaitingRun) => void;
  }) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
    this.#slots = new RunSlots({
      ...options,
      onFree: (run) => {
        this.#queue.release(run);
        this.pump();
      },
    });
  }

  /** Counts those that this process knows. */
  async waiting(userId: string): Promise<{ ofAll: number; ofUser: number }> {
    const later = [...this.#later.values()].filter(({ run }) => run.user_id === userId);
    return {
      ofAll: this.#queue.size + this.#later.size,
      ofUser: this.#queue.sizeOf(userId) + later.length,
    };
  }

  async open(): Promise<void> {}

  async sweep(): Promise<void> {}

  add(run: WaitingRun): void {
    const { run_id, run_at } = run;
    if (this.#isClosed || this.#queue.has(run_id) || this.#later.has(run_id)) return;
    if (this.#options.executor.isAtWork(run_id)) return;
    const delayMs = run_at === null ? 0 : Date.parse(run_at) - this.#options.clock();
    if (delayMs > 0) this.#addLater(run, delayMs);
    else {
      this.#queue.add(run);
      this.pump();
    }
  }

  reserve(run: Pick<WaitingRun, 'run_id' | 'thread_id' | 'user_id'>): Place | null {
    if (this.#isClosed || !this.#slots.hasRoom || !this.#queue.occupy(run)) return null;
    return this.#slots.reserve(run);
  }

  remove(run: Pick<WaitingRun, 'run_id' | 'thread_id'>): void {
    this.#later.get(run.run_id)?.cancel();
    this.#later.delete(run.run_id);
    this.#queue.remove(run);
    // It may have been in front of others.
    this.pump();
  }

  pump(): void {
    while (!this.#isClosed && this.#slots.hasRoom) {
      const run = this.#queue.take();
      const slot = run && this.#slots.take();
      if (!slot) return;
      slot.keep(run, this.#execute(run, slot.workerId));
    }
  }

  async stop(): Promise<void> {
    this.#isClosed = true;
    for (const { cancel } of this.#later.values()) cancel();
    this.#later.clear();
  }

  async settled(): Promise<void> {
    await this.#slots.settled();
  }

  /** The processes that find its runs notice the end of its lease. */
  async close(): Promise<void> {}

  /** Never rejects. */
  async #execute(run: WaitingRun, workerId: string): Promise<void> {
    try {
      await this.#options.executor.execute(run, workerId);
    } catch (error) {
      this.#options.onFault(error, run);
      if (!this.#isClosed) this.#addLater(run, retryMs);
    }
  }

  #addLater(run: WaitingRun, delayMs: number): void {
    const cancel = this.#timer(() => {
      this.#later.delete(run.run_id);
      this.add(run);
    }, delayMs);
    this.#later.set(run.run_id, { run, cancel });
  }
}

interface Line {
  /** The runs of a thread in the order of admission. */
  runs: WaitingRun[];
  isActive: boolean;
}

interface OwnerLine {
  /** Threads whose first run could begin, in the order in which that became true. */
  threads: Set<string>;
  running: number;
  /** The time at which the owner was served last, in a count of services. */
  servedAt: number;
}

/**
 * Runs that wait to be claimed. Within a thread they are first in, first out, one at a time. Between owners, the one with the
 * fewest runs at work comes first, then the one that has waited longest. The queue may be out of date; the claim decides.
 */
export class RunQueue {
  readonly #lines = new Map<string, Line>();
  readonly #owners = new Map<string, OwnerLine>();
  readonly #waitingOf = new Map<string, number>();
  readonly #known = new Set<string>();
  #services = 0;

  /** The number of runs that wait. */
  get size(): number {
    return this.#known.size;
  }

  /** The number of threads and owners that are remembered. */
  get kept(): number {
    return this.#lines.size + this.#owners.size + this.#waitingOf.size;
  }

  sizeOf(userId: string): number {
    return this.#waitingOf.get(userId) ?? 0;
  }

  has(runId: string): boolean {
    return this.#known.has(runId);
  }

  add(run: WaitingRun): void {
    if (this.#known.has(run.run_id)) return;
    this.#known.add(run.run_id);
    this.#waitingOf.set(run.user_id, this.sizeOf(run.user_id) + 1);
    const line = this.#lines.get(run.thread_id) ?? { runs: [], isActive: false };
    this.#lines.set(run.thread_id, line);
    const place = line.runs.findLastIndex(({ admission }) => admission < run.admission) + 1;
    // A run behind others does not change whose turn it is.
    if (place > 0) return void line.runs.splice(place, 0, run);
    this.#unready(run.thread_id, line);
    line.runs.unshift(run);
    this.#ready(run.thread_id, line);
  }

  remove({ run_id, thread_id }: Pick<WaitingRun, 'run_id' | 'thread_id'>): void {
    const line = this.#lines.get(thread_id);
    const index = line?.runs.findIndex((run) => run.run_id === run_id) ?? -1;
    if (!line || index < 0) return;
    this.#unready(thread_id, line);
    const [removed] = line.runs.splice(index, 1);
    this.#forget(removed);
    this.#ready(thread_id, line);
    if (removed) this.#dropOwner(removed.user_id);
  }

  /** The run that begins next. Its thread is taken until `release`. */
  take(): WaitingRun | undefined {
    const userId = this.#nextOwner();
    const [threadId] = this.#owners.get(userId ?? '')?.threads ?? [];
    const line = this.#lines.get(threadId ?? '');
    const run = line?.runs[0];
    if (!line || !run) return undefined;
    this.#unready(run.thread_id, line);
    this.#forget(line.runs.shift());
    line.isActive = true;
    this.#serve(run.user_id);
    return run;
  }

  /**
   * Takes the thread as if a run of it had been added and handed out at once. Returns false when the thread has a run already.
   */
  occupy({ thread_id, user_id }: Pick<WaitingRun, 'thread_id' | 'user_id'>): boolean {
    if (this.#lines.has(thread_id)) return false;
    this.#lines.set(thread_id, { runs: [], isActive: true });
    this.#serve(user_id);
    return true;
  }

  /** The run that was handed out is done; the next one of its thread may follow. */
  release({ thread_id, user_id }: Pick<WaitingRun, 'thread_id' | 'user_id'>): void {
    const owner = this.#owners.get(user_id);
    if (owner) owner.running -= 1;
    const line = this.#lines.get(thread_id);
    if (line) {
      line.isActive = false;
      this.#ready(thread_id, line);
    }
    this.#dropOwner(user_id);
  }

  #ready(threadId: string, line: Line): void {
    const [first] = line.runs;
    if (line.isActive) return;
    if (!first) {
      this.#lines.delete(threadId);
      return;
    }
    this.#ownerLine(first.user_id).threads.add(threadId);
  }

  #serve(userId: string): void {
    const owner = this.#ownerLine(userId);
    this.#services += 1;
    owner.running += 1;
    owner.servedAt = this.#services;
  }

  #ownerLine(userId: string): OwnerLine {
    const owner = this.#owners.get(userId) ?? newOwner(this.#services);
    this.#owners.set(userId, owner);
    return owner;
  }

  /** A thread is listed with the owner of its first run, which is about to change. */
  #unready(threadId: string, line: Line): void {
    const [first] = line.runs;
    if (!first) return;
    this.#owners.get(first.user_id)?.threads.delete(threadId);
  }

  #forget(run: WaitingRun | undefined): void {
    if (!run) return;
    this.#known.delete(run.run_id);
    const left = this.sizeOf(run.user_id) - 1;
    if (left > 0) this.#waitingOf.set(run.user_id, left);
    else this.#waitingOf.delete(run.user_id);
  }

  #nextOwner(): string | undefined {
    let best: { userId: string; owner: OwnerLine } | undefined;
    for (const [userId, owner] of this.#owners) {
      if (owner.threads.size === 0) continue;
      if (!best || isBefore(owner, best.owner)) best = { userId, owner };
    }
    return best?.userId;
  }

  #dropOwner(userId: string): void {
    const owner = this.#owners.get(userId);
    if (owner && owner.running === 0 && owner.threads.size === 0) this.#owners.delete(userId);
  }
}

/** An owner that arrives now comes after those that wait. */
function newOwner(servedAt: number): OwnerLine {
  return { threads: new Set(), running: 0, servedAt };
}

function isBefore(one: OwnerLine, other: OwnerLine): boolean {
  return one.running === other.running ? one.servedAt < other.servedAt : one.running < other.running;
}
