import type { HealthCheckDefinition } from '@switchyard/contract/dispatch/settings';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { wordingOf } from '../../lib/app-error.ts';
import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { minuteMs } from '../../lib/time-units.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { ProbeOutcome, WorkerCapabilities, WorkerClient } from '../worker-client/worker-client.ts';
import type { WorkerEvent } from '../worker-client/worker-event.ts';
import { CapabilityRefresh } from './capability-refresh.ts';
import { type LiveInstance, unknownInstance, whyNotReady } from './instance-state.ts';

type GoodProbe = Extract<ProbeOutcome, { ok: true }>;

/** This many device errors in a row, of more than one user, take an instance out of rotation. */
const faultsToSuspect = 3;
const usualCapabilitiesSeconds = 60;
const firstSuspicionMs = 15_000;
const maxSuspicionMs = 15 * minuteMs;

interface MonitorOptions extends Pick<DispatchParts, 'clock' | 'steadyClock'> {
  client: Pick<WorkerClient, 'probe' | 'capabilities' | 'changedCapabilities' | 'freeMemory'>;
  health: HealthCheckDefinition;
  timer?: Timer;
  /** Called after anything in `live` has changed. */
  onChange: () => void;
  onCapabilities: (capabilities: WorkerCapabilities) => void;
  /** Called when the event socket was found deaf, or when it brought a whole execution after that. */
  onHearing: (kind: 'deaf' | 'hearing', message: Wording) => void;
}

/** Liveness, capabilities and trouble of one instance, known from probes and from the events of its socket. */
export class InstanceMonitor {
  readonly #options;
  readonly #timer: Timer;
  #live: LiveInstance = unknownInstance;
  /** Probes without an answer since the last good one. */
  #misses = 0;
  #lastGoodMs = 0;
  #probeStartMs = 0;
  #faults = 0;
  readonly #faultyOwners = new Set<string>();
  /** Users on whose tasks the machine under the worker failed, such as with a full disk. */
  readonly #restingFor = new Set<string>();
  /** The number of times in a row that something spoke against it. */
  #suspicions = 0;
  /** Until then, an answer to a probe does not end a suspicion or a rest. */
  #heldUntilMs = 0;
  /** The suspicion is about an execution that the instance still holds. */
  #isHung = false;
  /**
   * The reason for which the event socket counts as deaf; cleared once it has brought an execution from its start to
   * its end.
   */
  #deafness: Wording | null = null;
  #stopTimer: () => void = () => undefined;
  #stopDeadline: () => void = () => undefined;
  #probing: Promise<ProbeOutcome> | null = null;
  readonly #closing = new AbortController();
  readonly #refresh: CapabilityRefresh;
  #learnedAtMs = 0;

  constructor(options: MonitorOptions) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
    this.#refresh = new CapabilityRefresh({
      ask: () => this.#askCapabilities(),
      steadyClock: options.steadyClock,
      timer: this.#timer,
      signal: this.#closing.signal,
    });
  }

  get live(): LiveInstance {
    return this.#live;
  }

  /** True when the worker's state allows giving it a task now. */
  get isReady(): boolean {
    return whyNotReady(this.#live) === null;
  }

  start(): void {
    void this.probe();
  }

  close(): void {
    this.#closing.abort();
    this.#stopTimer();
    this.#stopDeadline();
  }

  setHealthCheck(health: HealthCheckDefinition): void {
    this.#options.health = health;
    if (!this.#probing) this.#plan();
  }

  setCurrentTask(taskId: string | null): void {
    this.#change({ currentTaskId: taskId });
  }

  notice(event: WorkerEvent): void {
    if (event.type === 'queue_changed') this.#noteQueue(event.queueRemaining);
    if (event.type === 'socket_closed') void this.probe();
    if (event.type === 'worker_restarted') {
      // Another process answers now: what the old one could do, or hung on, says nothing about it.
      this.#forgetTrouble();
      this.#change({ hasCapabilities: false, suspicion: null });
      void this.probe();
    }
  }

  /** An execution succeeded. */
  noteSuccess(): void {
    this.#faults = 0;
    this.#faultyOwners.clear();
    this.#restingFor.clear();
    this.#suspicions = 0;
    if (this.#live.lastError !== this.#deafness) this.#change({ lastError: this.#deafness });
  }

  /** Notes that the event socket was open and brought nothing. */
  noteDeaf(message: Wording): void {
    this.#deafness = message;
    this.#options.onHearing('deaf', message);
    this.#change({ lastError: message });
  }

  /** Notes that the event socket brought an execution from its start to its end. */
  noteHearing(): void {
    if (this.#deafness === null) return;
    const isShown = this.#live.lastError === this.#deafness;
    this.#deafness = null;
    this.#options.onHearing('hearing', say('socket_heard_run'));
    if (isShown) this.#change({ lastError: null });
  }

  /** The instance's own fault (no memory, a device error). Several in a row take it out of rotation for a while. */
  noteFault(message: Wording, owner: string): void {
    this.#faults += 1;
    this.#faultyOwners.add(owner);
    this.#change({ lastError: message });
    // Failures of a single user may come from that user's graphs, and must not keep other users from the instance.
    if (this.#faults < faultsToSuspect || this.#faultyOwners.size < 2) return;
    this.#suspect(say('runs_failed', { count: this.#faults, cause: message }));
    this.#options.client.freeMemory().catch(() => undefined);
  }

  /**
   * The machine under the worker failed. The instance rests for this user, whose graphs may be the cause, and is under
   * suspicion once a second user meets the same.
   */
  noteHostFault(message: Wording, owner: string): void {
    this.#restingFor.add(owner);
    if (this.#restingFor.size > 1) {
      this.#suspect(say('host_failed', { cause: message }));
      return;
    }
    this.#suspicions += 1;
    this.#hold();
    this.#change({ lastError: message });
  }

  /** Returns whether it gets no task of this user for now. */
  restsFor(owner: string): boolean {
    return this.#restingFor.has(owner);
  }

  /**
   * The instance does not end an execution that it holds. It is trusted again when it holds nothing any more, also
   * after a restart.
   */
  noteHang(reason: Wording): void {
    this.#isHung = (this.#live.queueRemaining ?? 0) > 0;
    this.#suspect(reason);
  }

  /** Probes once; calls during a probe share it. */
  probe(): Promise<ProbeOutcome> {
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = null;
      this.#plan();
    });
    return this.#probing;
  }

  /**
   * Asks what it can run, with a question that starts after this call. Returns the reason when the worker did not
   * answer, otherwise null.
   */
  refreshCapabilities(): Promise<Wording | null> {
    return this.#refresh.refresh();
  }

  #isRefreshDue(): boolean {
    const { capabilitiesInterval = usualCapabilitiesSeconds } = this.#options.health;
    return this.#options.steadyClock() - this.#learnedAtMs >= capabilitiesInterval * 1_000;
  }

  async #probe(): Promise<ProbeOutcome> {
    this.#stopTimer();
    this.#probeStartMs = this.#options.steadyClock();
    const outcome = await this.#options.client.probe();
    if (this.#closing.signal.aborted) return outcome;
    if (!outcome.ok) this.#noteMiss(outcome.message);
    else {
      this.#noteAnswer(outcome);
      if (!this.#live.hasCapabilities) await this.refreshCapabilities();
      else if (this.#isRefreshDue()) void this.refreshCapabilities();
    }
    return outcome;
  }

  #noteAnswer({ ok: _ok, latencyMs: _latencyMs, queueRemaining, ...report }: GoodProbe): void {
    const now = this.#options.steadyClock();
    this.#stopDeadline();
    this.#misses = 0;
    this.#lastGoodMs = now;
    const holdsNothing = queueRemaining === 0;
    if (holdsNothing && (this.#isHung || !this.#live.alive)) this.#forgetTrouble();
    const isHeld = now < this.#heldUntilMs;
    if (!isHeld) this.#restingFor.clear();
    const suspicion = holdsNothing && !isHeld ? null : this.#live.suspicion;
    const isInTrouble = this.#faults > 0 || this.#restingFor.size > 0;
    this.#change({
      alive: true,
      isProbed: true,
      lastHeartbeatMs: this.#options.clock(),
      queueRemaining,
      ...report,
      suspicion,
      lastError: suspicion ?? (isInTrouble ? this.#live.lastError : this.#deafness),
    });
  }

  #noteMiss(message: Wording): void {
    this.#misses += 1;
    const { failures = 2, timeout = 2, interval } = this.#options.health;
    if (!this.#live.alive || this.#misses >= failures) {
      this.#noteDeath(message);
      return;
    }
    this.#change({ lastError: message });
    // Probes that time out come less often than the interval says; the instance must not count as alive for longer
    // because of that.
    const maxMs = (failures * interval + timeout) * 1000;
    const leftMs = this.#lastGoodMs + maxMs - this.#options.steadyClock();
    this.#stopDeadline();
    this.#stopDeadline = this.#timer(() => this.#noteDeath(message), leftMs);
  }

  #noteDeath(message: Wording): void {
    this.#stopDeadline();
    this.#deafness = null;
    this.#change({ alive: false, isProbed: true, lastError: message, hasCapabilities: false });
  }

  #noteQueue(queueRemaining: number): void {
    if (queueRemaining === this.#live.queueRemaining) return;
    const isOver = queueRemaining === 0 && this.#isHung;
    if (isOver) this.#forgetTrouble();
    this.#change(isOver ? { queueRemaining, suspicion: null } : { queueRemaining });
  }

  #suspect(reason: Wording): void {
    if (this.#live.suspicion === null) this.#suspicions += 1;
    this.#hold();
    this.#change({ suspicion: reason, lastError: reason });
  }

  /** Waits twice as long each time before a probe may clear it. */
  #hold(): void {
    const waitMs = Math.min(firstSuspicionMs * 2 ** (this.#suspicions - 1), maxSuspicionMs);
    this.#heldUntilMs = this.#options.steadyClock() + waitMs;
    this.#plan();
  }

  #forgetTrouble(): void {
    this.#faults = 0;
    this.#faultyOwners.clear();
    this.#restingFor.clear();
    this.#isHung = false;
    this.#heldUntilMs = 0;
  }

  /** Most answers are the same as the one before and are not even parsed. */
  async #askCapabilities(): Promise<Wording | null> {
    const { client, onCapabilities } = this.#options;
    try {
      const isNew = !this.#live.hasCapabilities;
      const learned = isNew ? await client.capabilities() : await client.changedCapabilities();
      if (this.#closing.signal.aborted) return null;
      this.#learnedAtMs = this.#options.steadyClock();
      if (!learned) return null;
      onCapabilities(learned);
      this.#change({ hasCapabilities: true });
      return null;
    } catch (error) {
      const message = say('offer_untold', { cause: wordingOf(error) });
      this.#change({ lastError: message });
      return message;
    }
  }

  /** Plans the next probe: one interval after the last one began, or when a suspicion is over. */
  #plan(): void {
    this.#stopTimer();
    if (this.#closing.signal.aborted) return;
    const now = this.#options.steadyClock();
    const dueMs = this.#probeStartMs + this.#options.health.interval * 1000;
    const isHeld = this.#heldUntilMs > now;
    const nextMs = isHeld ? Math.min(dueMs, this.#heldUntilMs) : dueMs;
    this.#stopTimer = this.#timer(() => void this.probe(), Math.max(nextMs - now, 0));
  }

  #change(part: Partial<LiveInstance>): void {
    this.#live = { ...this.#live, ...part };
    this.#options.onChange();
  }
}
