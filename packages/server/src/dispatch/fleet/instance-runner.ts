import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { newDeferred } from '../../lib/async/deferred.ts';
import { sleepWithSignal } from '../../lib/async/sleep-with-signal.ts';
import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { toIso } from '../../lib/clock.ts';
import { type Lease, LeaseLost } from '../../platform/ownership/lease.ts';
import type { AttemptOutcome } from '../attempts/attempt-outcome.ts';
import { type Execute, executePatiently, settlePatiently } from '../attempts/attempt-patience.ts';
import { AttemptSettlement, type SettlementOptions } from '../attempts/attempt-settlement.ts';
import { Cooldowns, cooldownKeys } from '../attempts/cooldowns.ts';
import { LostExecutions } from '../attempts/lost-executions.ts';
import { type AttemptDeps, TaskAttempt, type WorkerPart } from '../attempts/task-attempt.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import { type Offer, type Requirement, requirementKey } from '../graphs/capability.ts';
import type { InstanceMonitor } from '../instances/instance-monitor.ts';
import { whyNotReady } from '../instances/instance-state.ts';
import type { InstanceRow } from '../instances/instance-store.ts';
import { type ClaimedTask, claimTask } from '../queue/claim-task.ts';
import type { Matchmaker, Seeker } from '../queue/matchmaker.ts';
import type { Pauses } from '../queue/pauses.ts';
import type { PendingTask } from '../queue/pending-entry.ts';
import type { TaskRow } from '../tables.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { WorkerClient } from '../worker-client/worker-client.ts';
import type { WorkerEvent } from '../worker-client/worker-event.ts';
import {
  allOf,
  type Obstacle,
  obstacleOfAvoidance,
  obstacleOfOffer,
  obstacleOfPause,
  obstacleOfUse,
} from './obstacle.ts';

export interface RunnerOptions extends Pick<DispatchParts, 'clock' | 'steadyClock' | 'log'> {
  row: InstanceRow;
  client: WorkerClient;
  monitor: InstanceMonitor;
  matchmaker: Matchmaker;
  tasks: TaskStore;
  attemptDeps: Omit<AttemptDeps, 'client' | 'monitor' | 'signal' | 'isOwner'>;
  offer: () => Offer;
  pauses: Pick<Pauses, 'ofInstance' | 'ofOwner' | 'load'>;
  candidates: SettlementOptions['candidates'];
  /** Called when nothing is left of a task that was here. */
  onSettled: () => void;
  timer?: Timer;
}

interface PreparedAttempt {
  row: TaskRow;
  promptId: string;
  knownPromptId: string | null;
  /** The record of its nodes, when it is resumed. */
  nodes?: string | null;
}

type Holding = Pick<Lease, 'token' | 'signal' | 'stands'>;

/**
 * Outputs of earlier executions that are still fetched while the worker has the next one; beyond this the worker waits.
 */
const maxCollecting = 4;
const newsDelayMs = 250;
const pickUpDelayMs = 1_000;

/**
 * The one owner of an instance: it first resumes what an earlier owner left there, then gives the worker one task after
 * the other. Every write carries its token, so that it writes nothing once another owner has taken charge.
 */
export class InstanceRunner {
  readonly #options: RunnerOptions;
  readonly #timer: Timer;
  #row: InstanceRow;
  #wake = newDeferred();
  #offering: AbortController | null = null;
  /** The task that was taken out of the queue and is not claimed yet; `isCancelled` when it was cancelled since. */
  #taking: { taskId: string; isCancelled: boolean } | null = null;
  readonly #onWorker = new Set<TaskAttempt>();
  readonly #collecting = new Map<TaskAttempt, Promise<void>>();
  readonly #lostExecutions: LostExecutions;
  readonly #cooldowns: Cooldowns;
  readonly #settlement: AttemptSettlement;
  #lastFingerprint: string | null = null;
  #idleSinceMs: number;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
    this.#row = options.row;
    this.#idleSinceMs = options.steadyClock();
    const { avoidMs } = options.attemptDeps.timeouts;
    this.#cooldowns = new Cooldowns(options.steadyClock, avoidMs, options.clock);
    this.#lostExecutions = new LostExecutions(options.client);
    this.#settlement = new AttemptSettlement({
      tasks: options.tasks,
      attempts: options.attemptDeps.attempts,
      matchmaker: options.matchmaker,
      monitor: options.monitor,
      cooldowns: this.#cooldowns,
      candidates: options.candidates,
      onCooldown: (lengthMs) => this.#timer(() => this.reconsider(), lengthMs),
      avoidMs,
      clock: options.clock,
    });
  }

  get isUnused(): boolean {
    return this.#taking === null && this.#onWorker.size === 0 && this.#collecting.size === 0;
  }

  /** The instance was enabled, disabled or got other tags: updates what it offers. */
  update(row: InstanceRow): void {
    this.#row = row;
    this.reconsider();
  }

  /** Returns true when this instance has the task. */
  cancel(taskId: string): boolean {
    if (this.#taking?.taskId === taskId) {
      this.#taking.isCancelled = true;
      return true;
    }
    const attempt = [...this.#onWorker, ...this.#collecting.keys()].find((held) => held.taskId === taskId);
    attempt?.cancel();
    return attempt !== undefined;
  }

  /** For a drain that does not wait: running tasks are interrupted and go back to the queue. */
  giveBack(): void {
    for (const attempt of this.#onWorker) attempt.giveBack();
  }

  notice(event: WorkerEvent): void {
    for (const attempt of this.#onWorker) attempt.notice(event);
    for (const attempt of this.#collecting.keys()) attempt.notice(event);
    this.#options.monitor.notice(event);
  }

  /** Something that decides about the next task has changed. */
  reconsider(): void {
    if (this.#offering && !this.#isReady()) this.#offering.abort();
    if (this.#options.monitor.live.alive) this.#lostExecutions.stopAll();
    this.#wake.resolve();
    this.#options.matchmaker.reconsider(this.#row.id);
  }

  /** Works for as long as the lease lasts. Unfinished work is abandoned at its end: the next owner resumes it. */
  async run({ token, signal, stands }: Holding): Promise<void> {
    const { client, monitor } = this.#options;
    const stay = new AbortController();
    const leave = (): void => {
      stay.abort(signal.reason);
      this.#offering?.abort();
      this.#wake.resolve();
    };
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    client.open();
    monitor.start();
    try {
      await this.#work({ token, signal: stay.signal, stands });
    } finally {
      signal.removeEventListener('abort', leave);
      leave();
      monitor.close();
      await Promise.allSettled(this.#collecting.values());
      await client.close();
    }
  }

  async #work(lease: Holding): Promise<void> {
    const left = await this.#options.attemptDeps.attempts.unfinishedOn(this.#row.id);
    await Promise.all(left.map((row) => this.#pickUpAtLast(row, lease)));
    while (!lease.signal.aborted) {
      const task = await this.#nextTask(lease.signal);
      if (task) await this.#take(task, lease);
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
    if (task && (signal.aborted || !this.#isReady())) {
      this.#options.matchmaker.add(task);
      return null;
    }
    return task;
  }

  /** Everything that keeps this task from the instance now, by the rules that place tasks. */
  obstaclesTo(task: PendingTask): Obstacle[] {
    const { owner, requirement } = task;
    return allOf([
      this.#obstacleOfRequirement(requirement),
      this.#obstacleOfState(),
      this.#obstacleOfPause(),
      this.#obstacleOfOwner(owner, requirement),
      obstacleOfAvoidance(task, this.#row.id),
    ]);
  }

  #isReady(): boolean {
    return this.#obstacleOfState() === null && this.#obstacleOfPause() === null;
  }

  #obstacleOfState(): Obstacle | null {
    const { live } = this.#options.monitor;
    const ofUse = obstacleOfUse(this.#row, live.currentTaskId);
    if (ofUse) return ofUse;
    const code = whyNotReady(live);
    const isFree = this.#onWorker.size === 0 && this.#collecting.size < maxCollecting;
    if (!isFree && (code === null || code === 'used_by_others')) return { code: 'busy' };
    return code && { code };
  }

  #obstacleOfPause(): Obstacle | null {
    return obstacleOfPause(this.#options.pauses.ofInstance(this.#options.offer().tags));
  }

  #obstacleOfRequirement(requirement: Requirement): Obstacle | null {
    return (
      obstacleOfOffer(this.#options.offer(), requirement) ?? this.#cooling(() => requirementKey(requirement))
    );
  }

  #obstacleOfOwner(owner: string, requirement: Requirement): Obstacle | null {
    return (
      obstacleOfPause(this.#options.pauses.ofOwner(owner)) ??
      this.#cooling(() => cooldownKeys(owner, requirement).owner) ??
      (this.#options.monitor.restsFor(owner) ? { code: 'cooling' } : null)
    );
  }

  /** Nearly always nothing cools, and then no key is made. */
  #cooling(keyOf: () => string): Obstacle | null {
    if (this.#cooldowns.isEmpty) return null;
    const untilMs = this.#cooldowns.endOf(keyOf());
    return untilMs === null ? null : { code: 'cooling', untilMs };
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
      canRun: (requirement) => this.#obstacleOfRequirement(requirement) === null,
      mayServe: (owner, requirement) => this.#obstacleOfOwner(owner, requirement) === null,
    };
  }

  async #take(pending: PendingTask, lease: Holding): Promise<void> {
    const taking = { taskId: pending.id, isCancelled: false };
    this.#taking = taking;
    try {
      const claimed = await this.#claim(pending, lease);
      if (claimed.outcome !== 'claimed') return;
      this.#options.attemptDeps.events.announce({ type: 'task_claimed', taskId: pending.id });
      const attempt = this.#newAttempt(claimed, lease);
      if (taking.isCancelled) attempt.cancel();
      await this.#run(attempt, { signal: lease.signal, execute: () => attempt.runOnWorker() });
    } finally {
      this.#taking = null;
    }
  }

  async #claim(pending: PendingTask, { token, signal }: Holding): Promise<ClaimedTask> {
    const { attemptDeps, client, matchmaker, clock } = this.#options;
    const { attempts } = attemptDeps;
    try {
      const claimed = await claimTask(pending, {
        attempts,
        instance: this.#row,
        workerVersion: this.#options.monitor.live.version,
        knownPromptId: client.knownPromptId,
        token,
        clock,
      });
      if (claimed.outcome === 'instance_off') {
        matchmaker.add(pending);
        // The change of the instance will be announced here in a moment.
        await this.#sleep(newsDelayMs, signal);
      }
      if (claimed.outcome === 'paused') {
        // The pause may be one that another replica has set.
        await this.#options.pauses.load();
        matchmaker.add(pending);
      }
      if (claimed.outcome === 'superseded') throw new LeaseLost(`instance:${this.#row.id}`);
      return claimed;
    } catch (error) {
      // If it was claimed after all, the next claim of it finds that out.
      matchmaker.add(pending);
      throw error;
    }
  }

  async #pickUpAtLast(row: TaskRow, lease: Holding): Promise<void> {
    while (!lease.signal.aborted) {
      try {
        return await this.#pickUp(row, lease);
      } catch (error) {
        this.#options.log.error({ err: error, taskId: row.id }, 'a task could not be picked up yet');
        await this.#sleep(pickUpDelayMs, lease.signal);
      }
    }
  }

  async #pickUp({ id, attempt }: TaskRow, lease: Holding): Promise<void> {
    const { attempts } = this.#options.attemptDeps;
    const stored = await attempts.get(id, attempt);
    const fence = { taskId: id, attempt, token: lease.token };
    const row = stored && (await attempts.takeOver(fence, toIso(this.#options.clock())));
    if (!row) return;
    const { promptId, knownPromptId, nodes } = stored;
    const found = this.#newAttempt({ row, promptId, knownPromptId, nodes }, lease);
    await this.#run(found, { signal: lease.signal, execute: () => found.reattach() });
  }

  #newAttempt(
    { row, promptId, knownPromptId, nodes = null }: PreparedAttempt,
    { token, signal, stands }: Holding,
  ): TaskAttempt {
    const { attemptDeps, client, monitor } = this.#options;
    const fence = { taskId: row.id, attempt: row.attempt, token };
    return new TaskAttempt(
      { client, monitor, signal, isOwner: stands, ...attemptDeps },
      { row, fence, promptId, knownPromptId, nodes },
    );
  }

  async #run(
    attempt: TaskAttempt,
    { signal, execute }: { signal: AbortSignal; execute: Execute },
  ): Promise<void> {
    const { monitor, matchmaker, steadyClock } = this.#options;
    const { owner, fingerprint } = attempt.record.row;
    const startedMs = steadyClock();
    this.#onWorker.add(attempt);
    this.#taking = null;
    monitor.setCurrentTask(attempt.taskId);
    const over = executePatiently(attempt, { execute, ...this.#patience(signal) });
    // The outcome is read while the worker already has the next task.
    await Promise.race([over, attempt.leftWorker]);
    this.#settleLater(attempt, { over, signal });
    this.#onWorker.delete(attempt);
    this.#lastFingerprint = fingerprint;
    this.#idleSinceMs = steadyClock();
    matchmaker.charge(owner, (steadyClock() - startedMs) / 1000);
    const [other] = this.#onWorker;
    monitor.setCurrentTask(other?.taskId ?? null);
    // A message of the worker would say that it is free; without a socket the gateway has to ask.
    if (!signal.aborted && monitor.live.queueRemaining !== 0) void monitor.probe();
  }

  /** The worker is free already; outputs and the last write of the task need only the gateway. */
  #settleLater(
    attempt: TaskAttempt,
    { over, signal }: { over: Promise<WorkerPart | null>; signal: AbortSignal },
  ): void {
    const settled = this.#settle(attempt, { over, signal }).finally(() => {
      this.#collecting.delete(attempt);
      this.reconsider();
      this.#options.onSettled();
    });
    this.#collecting.set(attempt, settled);
  }

  async #settle(
    attempt: TaskAttempt,
    { over, signal }: { over: Promise<WorkerPart | null>; signal: AbortSignal },
  ): Promise<void> {
    const part = await over;
    attempt.forget();
    if (!part) return;
    const { outcome, isStuck } = part;
    if (isStuck) this.#options.monitor.noteHang(hangReason(outcome));
    if (isLost(outcome)) this.#lostExecutions.add(attempt.promptId);
    if (isIncapable(outcome)) void this.#options.monitor.refreshCapabilities();
    const settle = () => this.#settlement.settle(attempt, outcome);
    await settlePatiently(attempt, { settle, ...this.#patience(signal) });
    if (hasRunToItsEnd(outcome)) attempt.discardOutputs();
  }

  #patience(signal: AbortSignal) {
    const report = (error: unknown, { taskId }: TaskAttempt, message: string): void =>
      this.#options.log.error({ err: error, taskId, instanceId: this.#row.id }, message);
    return { signal, timer: this.#timer, report };
  }

  async #sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    await sleepWithSignal(delayMs, { signal, timer: this.#timer }).catch(() => undefined);
  }
}

/** The worker has ended the execution, whatever the outcome. */
function hasRunToItsEnd(outcome: AttemptOutcome): boolean {
  if (outcome.kind !== 'failed' || outcome.against === 'host') return true;
  return outcome.failure === 'graph_error' || outcome.failure === 'worker_error';
}

/** The worker may still execute it. */
function isLost(outcome: AttemptOutcome): boolean {
  return outcome.kind === 'failed' && outcome.failure === 'lost' && outcome.against !== 'host';
}

/** The worker lacks something that it was thought to have. */
function isIncapable(outcome: AttemptOutcome): boolean {
  return outcome.kind === 'failed' && outcome.error.code === 'rejected_by_worker';
}

function hangReason(outcome: AttemptOutcome): Wording {
  if (outcome.kind === 'failed') return outcome.error.sentences;
  return say('would_not_stop');
}
