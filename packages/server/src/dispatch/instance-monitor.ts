import type { HealthCheckDefinition } from '@switchyard/contract/dispatch/settings';
import { systemTimer, type Timer } from '../lib/async/timer.ts';
import type { Clock } from '../lib/clock.ts';
import { type LiveInstance, unknownInstance } from './instance-state.ts';
import type { ProbeOutcome, WorkerCapabilities, WorkerClient } from './worker-client/worker-client.ts';
import type { WorkerEvent } from './worker-client/worker-event.ts';

interface MonitorOptions {
  client: WorkerClient;
  health: HealthCheckDefinition;
  clock: Clock;
  timer?: Timer;
  /** Called after anything in `live` has changed. */
  onChange: () => void;
  onCapabilities: (capabilities: WorkerCapabilities) => void;
}

/** Hung runs and device errors in a row that take an instance out of rotation. */
const faultsToSuspect = 3;
const firstSuspicionMs = 15_000;
const longestSuspicionMs = 15 * 60_000;

/** Liveness, capabilities and trouble of one instance, by probes and by what its event socket says in between. */
export class InstanceMonitor {
  readonly #options: MonitorOptions;
  readonly #timer: Timer;
  #live: LiveInstance = unknownInstance;
  #failures = 0;
  #faults = 0;
  #suspicions = 0;
  #suspectUntilMs = 0;
  #stopTimer: (() => void) | null = null;
  #probing: Promise<void> | null = null;
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
    this.#stopTimer?.();
  }

  setHealthCheck(health: HealthCheckDefinition): void {
    this.#options.health = health;
    if (!this.#probing && !this.#isClosed) this.#plan();
  }

  setCurrentTask(taskId: string | null): void {
    this.#change({ currentTaskId: taskId });
  }

  notice(event: WorkerEvent): void {
    if (event.type === 'queue_changed') this.#noticeQueue(event.queueRemaining);
    if (event.type === 'socket_closed') void this.probe();
    if (event.type === 'worker_restarted') {
      // Another process answers now: what the old one could do, or hung on, says nothing about it.
      this.#faults = 0;
      this.#change({ hasCapabilities: false, suspicion: null });
      void this.probe();
    }
  }

  /** A run ended well. */
  noteSuccess(): void {
    this.#faults = 0;
    this.#suspicions = 0;
    if (this.#live.lastError !== null) this.#change({ lastError: null });
  }

  /** The instance's own fault (no memory, a device error). Several in a row take it out of rotation for a while. */
  noteFault(message: string): void {
    this.#faults += 1;
    this.#change({ lastError: message });
    if (this.#faults < faultsToSuspect) return;
    this.suspect(`${this.#faults} runs in a row failed on it: ${message}`);
    void this.#options.client.freeMemory().catch(() => undefined);
  }

  suspect(reason: string): void {
    const waitMs = Math.min(firstSuspicionMs * 2 ** this.#suspicions, longestSuspicionMs);
    this.#suspicions += 1;
    this.#suspectUntilMs = this.#options.clock() + waitMs;
    this.#change({ suspicion: reason, lastError: reason });
    this.#plan(waitMs);
  }

  /** Probes once; who asks while one is under way shares it. */
  probe(): Promise<void> {
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = null;
      this.#plan();
    });
    return this.#probing;
  }

  async #probe(): Promise<void> {
    if (this.#isClosed) return;
    this.#stopTimer?.();
    const outcome = await this.#options.client.probe();
    if (this.#isClosed) return;
    if (!outcome.ok) return this.#noteMiss(outcome.message);
    this.#noteAnswer(outcome);
    if (!this.#live.hasCapabilities) await this.#learnCapabilities();
  }

  #noteAnswer(outcome: Extract<ProbeOutcome, { ok: true }>): void {
    const now = this.#options.clock();
    this.#failures = 0;
    const mayTrust = outcome.queueRemaining === 0 && now >= this.#suspectUntilMs;
    const suspicion = mayTrust ? null : this.#live.suspicion;
    this.#change({
      alive: true,
      isProbed: true,
      lastHeartbeatMs: now,
      version: outcome.version,
      devices: outcome.devices,
      queueRemaining: outcome.queueRemaining,
      suspicion,
      lastError: suspicion ?? (this.#faults > 0 ? this.#live.lastError : null),
    });
  }

  #noteMiss(message: string): void {
    this.#failures += 1;
    const allowed = this.#options.health.failures ?? 2;
    const isAlive = this.#live.alive && this.#failures < allowed;
    this.#change({
      alive: isAlive,
      isProbed: true,
      lastError: message,
      hasCapabilities: isAlive && this.#live.hasCapabilities,
    });
  }

  #noticeQueue(queueRemaining: number): void {
    if (queueRemaining !== this.#live.queueRemaining) this.#change({ queueRemaining });
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

  #plan(soonestMs?: number): void {
    if (this.#isClosed) return;
    this.#stopTimer?.();
    const intervalMs = this.#options.health.interval * 1000;
    this.#stopTimer = this.#timer(
      () => void this.probe(),
      soonestMs === undefined ? intervalMs : Math.min(soonestMs, intervalMs),
    );
  }

  #change(part: Partial<LiveInstance>): void {
    this.#live = { ...this.#live, ...part };
    this.#options.onChange();
  }
}
