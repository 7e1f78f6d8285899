import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { toIso } from '../../lib/clock.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { Configuration } from '../instances/configuration.ts';
import type { InstanceStore } from '../instances/instance-store.ts';
import { builtInServerId } from '../instances/settings.ts';
import type { Fleet } from './fleet.ts';

/** The process of the embedded worker, as the gateway handles it. */
export interface ReferenceWorkerProcess {
  /** Finds the worker of this data home, or starts one, and reports to it that its gateway is alive. */
  ensure(signal: AbortSignal): Promise<{ port: number }>;
  stop(): Promise<void>;
  /** The interval of the calls of `ensure`. The worker treats a gateway that is silent for much longer as dead. */
  readonly ensureEveryMs: number;
}

const retryMs = 3_000;
const name = 'Built-in reference worker';

/**
 * Keeps the embedded worker running while no real instance is configured, and stops keeping it when one is. The
 * dispatcher does so: its worker is on its machine.
 */
export class ReferenceWorker {
  readonly #options;
  readonly #timer: Timer;
  readonly #closing = new AbortController();
  #instanceId: string | null = null;
  #stopTimer: (() => void) | null = null;
  #round: Promise<void> | null = null;
  #again = false;
  #stopListening: () => void = () => undefined;
  #isKeeping = false;

  constructor(
    options: Pick<DispatchParts, 'events' | 'clock' | 'log'> & {
      process: ReferenceWorkerProcess;
      configuration: Configuration;
      instances: InstanceStore;
      fleet: Fleet;
      timer?: Timer;
    },
  ) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
    options.fleet.hold(builtInServerId);
  }

  start(): void {
    this.#isKeeping = true;
    this.#stopListening = this.#options.events.listen((event) => {
      const hasDied =
        event.type === 'instance_changed' && event.instance.id === this.#instanceId && !event.instance.alive;
      if (hasDied || event.type === 'settings_changed') this.#look();
    });
    this.#look();
  }

  /**
   * Another replica is the dispatcher. The worker ends by itself, when it has had no report of this gateway for a
   * while.
   */
  rest(): void {
    this.#isKeeping = false;
    this.#stopListening();
    this.#stopTimer?.();
    this.#instanceId = null;
    this.#options.fleet.hold(builtInServerId);
  }

  /** A worker that executes something is left alone: it is found again at the next start, or ends by itself. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The gateway is shutting down.'));
    this.#stopListening();
    this.#stopTimer?.();
    await this.#round;
    const member = this.#instanceId === null ? undefined : this.#options.fleet.member(this.#instanceId);
    if (member?.view.busy === false) await this.#options.process.stop();
  }

  /** Runs one round at a time; calls during a round cause one more round after it. */
  #look(): void {
    if (this.#closing.signal.aborted || !this.#isKeeping) return;
    if (this.#round !== null) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#stopTimer?.();
    this.#round = this.#keep().then((nextMs) => {
      this.#round = null;
      if (this.#closing.signal.aborted || !this.#isKeeping) return;
      this.#stopTimer = this.#timer(() => this.#look(), this.#again ? 0 : nextMs);
    });
  }

  /** Returns when to look again. */
  async #keep(): Promise<number> {
    try {
      await this.#lookOnce();
      return this.#options.process.ensureEveryMs;
    } catch (error) {
      if (!this.#closing.signal.aborted) {
        this.#options.log.warn({ err: error }, 'the built-in reference worker could not be looked after');
      }
      return retryMs;
    }
  }

  async #lookOnce(): Promise<void> {
    try {
      if (this.#isWanted()) await this.#bringUp();
      else await this.#letGo();
    } finally {
      // When it could not be started, it is asked all the same, and its page says that nothing answers.
      if (this.#isKeeping) await this.#options.fleet.release(builtInServerId);
    }
  }

  #isWanted(): boolean {
    const { servers } = this.#options.configuration.current;
    return !servers.some(({ kind, instances }) => kind === 'comfyui' && instances.length > 0);
  }

  async #bringUp(): Promise<void> {
    const { process, instances, fleet, events, clock } = this.#options;
    const { port } = await process.ensure(this.#closing.signal);
    const instanceId = `127.0.0.1:${port}`;
    const row = await instances.get(instanceId);
    // A real instance that was there for a moment has taken this one away.
    const isListed = row?.serverId === builtInServerId && row.removed === 0;
    if (!this.#isKeeping || (isListed && instanceId === this.#instanceId)) return;
    this.#instanceId = await instances.putBuiltIn({ ip: '127.0.0.1', port, name }, toIso(clock()));
    await fleet.apply();
    events.announce({ type: 'fleet_changed' });
  }

  async #letGo(): Promise<void> {
    const { process, instances, fleet, events, clock } = this.#options;
    const rows = (await instances.list()).filter(({ serverId }) => serverId === builtInServerId);
    if (rows.length > 0) {
      await instances.removeBuiltIn(toIso(clock()));
      await fleet.apply();
      events.announce({ type: 'fleet_changed' });
      return;
    }
    if (this.#instanceId === null) return;
    this.#instanceId = null;
    await process.stop();
  }
}
