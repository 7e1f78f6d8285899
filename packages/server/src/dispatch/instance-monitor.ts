import type { HealthCheckDefinition } from '@switchyard/contract/dispatch/settings';
import { systemTimer, type Timer } from '../lib/async/timer.ts';
import type { Clock } from '../lib/clock.ts';
import { type LiveInstance, unknownInstance } from './instance-state.ts';
import type { ProbeOutcome, WorkerCapabilities, WorkerClient } from './worker-client/worker-client.ts';
import type { WorkerEvent } from './worker-client/worker-event.ts';

interface MonitorOptions {
  client: Pick<WorkerClient, 'probe' | 'capabilities' | 'freeMemory'>;
  health: HealthCheckDefinition;
  clock: Clock;
  steadyClock: Clock;
  timer?: Timer;
  /** Called after anything in `live` has changed. */
  onChange: () => void;
  onCapabilities: (capabilities: WorkerCapabilities) => void;
  /** Its event socket was found deaf, or heard a whole run after that. */
  onHearing: (kind: 'deaf' | 'hearing', message: string) => void;
}

/** Device errors in a row that take an instance out of rotation. */
const faultsToSuspect = 3;
const firstSuspicionMs = 15_000;
const longestSuspicionMs = 15 * 60_000;

/** Liveness, capabilities and trouble of one instance, by probes and by what its event socket says in between. */
export class InstanceMonitor {
  readonly #options: MonitorOptions;
  readonly #timer: Timer;
  #live: LiveInstance = unknownInstance;
  /** Probes without an answer since the last good one. */
  #misses = 0;
  #lastGoodMs = 0;
  #probeStartMs = 0;
  #faults = 0;
  #suspicions = 0;
  #suspectUntilMs = 0;
  /** The suspicion is about a run that it still holds. */
  #isHung = false;
  /** What was found about its event socket; stands until a run was heard from its start to its end. */
  #deafness: string | null = null;
  #stopTimer: () => void = () => undefined;
  #stopDeadline: () => void = () => undefined;
  #probing: Promise<ProbeOutcome> | null = null;
  #isClosed = false;

  constructor(options: MonitorOptions) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
  }

  get live(): LiveInstance {
    return this.#live;
  }

  /** Whether a task may be given now, as far as the worker goes. */
  get isReady(): boolean {
    const { alive, hasCapabilities, queueRemaining, suspicion } = this.#live;
    return alive && hasCapabilities && suspicion === null && queueRemaining === 0;
  }

  start(): void {
    void this.probe();
  }

  close(): void {
    this.#isClosed = true;
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

  /** A run ended well. */
  noteSuccess(): void {
    this.#faults = 0;
    this.#suspicions = 0;
    if (this.#live.lastError !== this.#deafness) this.#change({ lastError: this.#deafness });
  }

  /** Its event socket was open and told nothing. */
  noteDeaf(message: string): void {
    this.#deafness = message;
    this.#options.onHearing('deaf', message);
    this.#change({ lastError: message });
  }

  /** A run was heard from its start to its end. */
  noteHearing(): void {
    if (this.#deafness === null) return;
    const isShown = this.#live.lastError === this.#deafness;
    this.#deafness = null;
    this.#options.onHearing('hearing', 'Its event socket told of a run from its start to its end.');
    if (isShown) this.#change({ lastError: null });
  }

  /** The instance's own fault (no memory, a device error). Several in a row take it out of rotation for a while. */
  noteFault(message: string): void {
    this.#faults += 1;
    this.#change({ lastError: message });
    if (this.#faults < faultsToSuspect) return;
    this.#suspect(`${this.#faults} runs in a row failed on it: ${message}`);
    this.#options.client.freeMemory().catch(() => undefined);
  }

  /** It holds a run that it does not end. Trusted again when it holds nothing any more, which a restart brings too. */
  noteHang(reason: string): void {
    this.#isHung = (this.#live.queueRemaining ?? 0) > 0;
    this.#suspect(reason);
  }

  /** Probes once; who asks while one is under way shares it. */
  probe(): Promise<ProbeOutcome> {
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = null;
      this.#plan();
    });
    return this.#probing;
  }

  async #probe(): Promise<ProbeOutcome> {
    this.#stopTimer();
    this.#probeStartMs = this.#options.steadyClock();
    const outcome = await this.#options.client.probe();
    if (this.#isClosed) return outcome;
    if (!outcome.ok) this.#noteMiss(outcome.message);
    else {
      this.#noteAnswer(outcome);
      if (!this.#live.hasCapabilities) await this.#learnCapabilities();
    }
    return outcome;
  }

  #noteAnswer({ queueRemaining, version, devices }: Extract<ProbeOutcome, { ok: true }>): void {
    const now = this.#options.steadyClock();
    this.#stopDeadline();
    this.#misses = 0;
    this.#lastGoodMs = now;
    const holdsNothing = queueRemaining === 0;
    if (holdsNothing && (this.#isHung || !this.#live.alive)) this.#forgetTrouble();
    const suspicion = holdsNothing && now >= this.#suspectUntilMs ? null : this.#live.suspicion;
    this.#change({
      alive: true,
      isProbed: true,
      lastHeartbeatMs: this.#options.clock(),
      queueRemaining,
      version,
      devices,
      suspicion,
      lastError: suspicion ?? (this.#faults > 0 ? this.#live.lastError : this.#deafness),
    });
  }

  #noteMiss(message: string): void {
    this.#misses += 1;
    const { failures = 2, timeout = 2, interval } = this.#options.health;
    if (!this.#live.alive || this.#misses >= failures) {
      this.#noteDeath(message);
      return;
    }
    this.#change({ lastError: message });
    // Probes that run into their timeout come less often than the interval says; it is not alive for longer by that.
    const longestMs = (failures * interval + timeout) * 1000;
    const leftMs = this.#lastGoodMs + longestMs - this.#options.steadyClock();
    this.#stopDeadline();
    this.#stopDeadline = this.#timer(() => this.#noteDeath(message), leftMs);
  }

  #noteDeath(message: string): void {
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

  #suspect(reason: string): void {
    if (this.#live.suspicion === null) this.#suspicions += 1;
    const waitMs = Math.min(firstSuspicionMs * 2 ** (this.#suspicions - 1), longestSuspicionMs);
    this.#suspectUntilMs = this.#options.steadyClock() + waitMs;
    this.#change({ suspicion: reason, lastError: reason });
    this.#plan();
  }

  #forgetTrouble(): void {
    this.#faults = 0;
    this.#isHung = false;
    this.#suspectUntilMs = 0;
  }

  async #learnCapabilities(): Promise<void> {
    try {
      const capabilities = await this.#options.client.capabilities();
      if (this.#isClosed) return;
      this.#options.onCapabilities(capabilities);
      this.#change({ hasCapabilities: true });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#change({ lastError: `It did not tell what it can run: ${message}` });
    }
  }

  /** The next probe: one interval after the last one began, or when a suspicion is over. */
  #plan(): void {
    this.#stopTimer();
    if (this.#isClosed) return;
    const now = this.#options.steadyClock();
    const dueMs = this.#probeStartMs + this.#options.health.interval * 1000;
    const isHeld = this.#live.suspicion !== null && this.#suspectUntilMs > now;
    const nextMs = isHeld ? Math.min(dueMs, this.#suspectUntilMs) : dueMs;
    this.#stopTimer = this.#timer(() => void this.probe(), Math.max(nextMs - now, 0));
  }

  #change(part: Partial<LiveInstance>): void {
    this.#live = { ...this.#live, ...part };
    this.#options.onChange();
  }
}
