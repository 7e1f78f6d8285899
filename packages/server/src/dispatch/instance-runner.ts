import { newDeferred } from '../lib/async/deferred.ts';
import { sleepWithSignal } from '../lib/async/sleep-with-signal.ts';
import { systemTimer, type Timer } from '../lib/async/timer.ts';
import { type Clock, toIso } from '../lib/clock.ts';
import type { Lease } from '../platform/ownership/lease.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { AttemptSettlement } from './attempt-settlement.ts';
import { canRun, type Offer, requirementKey } from './capability.ts';
import { Cooldowns } from './cooldowns.ts';
import type { InstanceMonitor } from './instance-monitor.ts';
import type { InstanceRow } from './instance-store.ts';
import type { Matchmaker, Seeker } from './matchmaker.ts';
import type { PendingTask } from './pending-entry.ts';
import { promptIdOf } from './task.ts';
import { type AttemptDeps, TaskAttempt, type WorkerPart } from './task-attempt.ts';
import type { TaskRow, TaskStore } from './task-store.ts';
import type { WorkerClient } from './worker-client/worker-client.ts';
import type { WorkerEvent } from './worker-client/worker-event.ts';

export interface RunnerOptions {
  row: InstanceRow;
  client: WorkerClient;
  monitor: InstanceMonitor;
  matchmaker: Matchmaker;
  store: TaskStore;
  attemptDeps: Omit<AttemptDeps, 'client' | 'signal'>;
  offer: () => Offer;
  clock: Clock;
  timer?: Timer;
  log: Logger;
}

/** Outputs of earlier runs that are still pulled while the worker has the next one; beyond it the worker waits. */
const mostCollecting = 4;

/**
 * The one owner of an instance: it first picks up what an earlier owner left there, then gives the worker one task after
 * the other. Whatever it writes carries the token of its lease, so that it writes nothing once it has lost it.
 */
export class InstanceRunner {
  readonly #options: RunnerOptions;
  readonly #timer: Timer;
  #row: InstanceRow;
  #wake = newDeferred();
  #offering: AbortController | null = null;
  #current: TaskAttempt | null = null;
  readonly #collecting = new Set<Promise<void>>();
  readonly #cooldowns: Cooldowns;
  readonly #settlement: AttemptSettlement;
  #lastFingerprint: string | null = null;
  #idleSinceMs: number;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
    this.#row = options.row;
    this.#idleSinceMs = options.clock();
    this.#cooldowns = new Cooldowns(options.clock);
    this.#settlement = new AttemptSettlement({
      store: options.store,
      matchmaker: options.matchmaker,
      monitor: options.monitor,
      cooldowns: this.#cooldowns,
      onCooldown: (lengthMs) => this.#timer(() => this.reconsider(), lengthMs),
    });
  }

  get currentTaskId(): string | null {
    return this.#current?.fence.taskId ?? null;
  }

  get isUnused(): boolean {
    return this.#current === null && this.#collecting.size === 0;
  }

  /** Enabled, disabled, other tags: what is offered from now on. */
  update(row: InstanceRow): void {
    this.#row = row;
    this.reconsider();
  }

  /** True when this instance has the task. */
  cancel(taskId: string): boolean {
    if (this.#current?.fence.taskId !== taskId) return false;
    this.#current.cancel();
    return true;
  }

  /** A drain that does not wait: what runs is interrupted and goes back to the queue. */
  giveBack(): void {
    this.#current?.giveBack();
  }

  notice(event: WorkerEvent): void {
    this.#current?.notice(event);
    this.#options.monitor.notice(event);
  }

  /** Something that decides about the next task has changed. */
  reconsider(): void {
    if (this.#offering && !this.#isReady()) this.#offering.abort();
    this.#wake.resolve();
    this.#options.matchmaker.reconsider(this.#row.id);
  }

  async run({ token, signal }: Lease): Promise<void> {
    const onAbort = (): void => {
      this.#offering?.abort();
      this.#wake.resolve();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#options.client.open();
    this.#options.monitor.start();
    try {
      for (const row of await this.#options.store.unfinishedOn(this.#row.id)) {
        if (signal.aborted) break;
        await this.#pickUp(row, { token, signal });
      }
      while (!signal.aborted) {
        const task = await this.#nextTask(signal);
        if (task) await this.#take(task, { token, signal });
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#options.monitor.close();
      await Promise.allSettled(this.#collecting);
      await this.#options.client.close();
    }
  }

  async #nextTask(signal: AbortSignal): Promise<PendingTask | null> {
    if (!this.#isReady()) {
      await this.#wake.promise;
      this.#wake = newDeferred();
      return null;
    }
    this.#offering = new AbortController();
    const task = await this.#options.matchmaker.next(this.#seeker(), this.#offering.signal);
    this.#offering = null;
    if (task && signal.aborted) {
      this.#options.matchmaker.add(task);
      return null;
    }
    return task;
  }

  #isReady(): boolean {
    const isFree = this.#current === null && this.#collecting.size < mostCollecting;
    return isFree && this.#row.enabled === 1 && this.#row.removed === 0 && this.#options.monitor.isReady;
  }

  #seeker(): Seeker {
    const { devices } = this.#options.monitor.live;
    return {
      id: this.#row.id,
      kind: this.#row.kind,
      weight: this.#row.weight,
      lastFingerprint: this.#lastFingerprint,
      freeMemoryBytes: devices[0]?.memoryFreeBytes ?? null,
      idleSinceMs: this.#idleSinceMs,
      canRun: (requirement) =>
        canRun(this.#options.offer(), requirement) && !this.#cooldowns.isCooling(requirementKey(requirement)),
    };
  }

  /** Claim and attempt are on disk before the worker hears of the task. */
  async #take(pending: PendingTask, lease: Pick<Lease, 'token' | 'signal'>): Promise<void> {
    const { store, clock } = this.#options;
    const before = await store.get({ system: 'runner' }, pending.id);
    if (before?.phase !== 'queued') return;
    const attempt = before.attempt + 1;
    const at = toIso(clock());
    const claim = {
      taskId: before.id,
      expectedAttempt: before.attempt,
      instanceId: this.#row.id,
      promptId: promptIdOf(before.id, attempt),
      clientId: this.#row.clientId,
      token: lease.token,
      at,
    };
    if (!(await store.claim(claim))) return;
    const row: TaskRow = {
      ...before,
      phase: 'dispatching',
      instanceId: this.#row.id,
      attempt,
      claimToken: lease.token,
      updatedAt: at,
    };
    const fence = { taskId: row.id, attempt, token: lease.token };
    await this.#runAttempt({ row, fence, promptId: claim.promptId }, lease.signal, (task) =>
      task.runOnWorker(),
    );
  }

  async #pickUp(row: TaskRow, { token, signal }: Pick<Lease, 'token' | 'signal'>): Promise<void> {
    const { store, clock } = this.#options;
    const fence = { taskId: row.id, attempt: row.attempt, token };
    const attempt = await store.attempt(row.id, row.attempt);
    if (!attempt || !(await store.takeOver(fence, toIso(clock())))) return;
    await this.#runAttempt({ row, fence, promptId: attempt.promptId }, signal, (task) => task.reattach());
  }

  async #runAttempt(
    what: ConstructorParameters<typeof TaskAttempt>[1],
    signal: AbortSignal,
    execute: (attempt: TaskAttempt) => ReturnType<TaskAttempt['runOnWorker']>,
  ): Promise<void> {
    const { monitor, matchmaker, clock, attemptDeps, client } = this.#options;
    const attempt = new TaskAttempt({ ...attemptDeps, client, signal }, what);
    const startedMs = clock();
    this.#current = attempt;
    monitor.setCurrentTask(what.row.id);
    const part = await this.#executeOrPickUp(attempt, { execute, signal });
    if (part?.isStuck) monitor.suspect('Its last run did not stop when it should have.');
    if (part) this.#settleLater(attempt, { outcome: part.outcome, signal });
    this.#current = null;
    this.#lastFingerprint = what.row.fingerprint;
    this.#idleSinceMs = clock();
    matchmaker.charge(what.row.owner, (clock() - startedMs) / 1000);
    monitor.setCurrentTask(null);
  }

  /**
   * An error of the gateway's own (the database is away, say) says nothing about the run on the worker: it is picked up
   * again instead of being sent again.
   */
  async #executeOrPickUp(
    attempt: TaskAttempt,
    {
      execute,
      signal,
    }: { execute: (attempt: TaskAttempt) => Promise<WorkerPart | null>; signal: AbortSignal },
  ): Promise<WorkerPart | null> {
    for (const delayMs of pickUpDelaysMs) {
      try {
        return await (delayMs === 0 ? execute(attempt) : attempt.reattach());
      } catch (error) {
        this.#report(error, attempt, 'an attempt met an error of the gateway');
        await this.#pause(Math.max(delayMs, pickUpDelaysMs[1]), signal);
        if (signal.aborted) return null;
      }
    }
    const message = 'The gateway met an error of its own while it ran this task. Its log says which.';
    const error = { code: 'internal_error', message } as const;
    return { outcome: { kind: 'failed', failure: 'graph_error', error }, isStuck: true };
  }

  /** The worker is free already; outputs and the last write of the task need only the gateway. */
  #settleLater(
    attempt: TaskAttempt,
    { outcome, signal }: { outcome: AttemptOutcome; signal: AbortSignal },
  ): void {
    const settled = this.#settleAtLast(attempt, outcome, signal).finally(() => {
      attempt.forget();
      this.#collecting.delete(settled);
      this.reconsider();
    });
    this.#collecting.add(settled);
  }

  /** Until it is written, or somebody else's to write. */
  async #settleAtLast(attempt: TaskAttempt, outcome: AttemptOutcome, signal: AbortSignal): Promise<void> {
    for (let delayMs = 500; !signal.aborted; delayMs = Math.min(delayMs * 2, 30_000)) {
      try {
        await this.#settlement.settle(attempt, outcome);
        return;
      } catch (error) {
        this.#report(error, attempt, 'the end of an attempt could not be written yet');
        await this.#pause(delayMs, signal);
      }
    }
  }

  #report(error: unknown, attempt: TaskAttempt, message: string): void {
    this.#options.log.error({ err: error, taskId: attempt.fence.taskId, instanceId: this.#row.id }, message);
  }

  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    await sleepWithSignal(delayMs, { signal, timer: this.#timer }).catch(() => undefined);
  }
}

const pickUpDelaysMs = [0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000] as const;
