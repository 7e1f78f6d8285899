import type { Readiness, ServiceHealth } from '@switchyard/contract/meta';
import type { Clock } from '../../lib/clock.ts';

/** A service that the gateway cannot work without. */
export interface Dependency {
  name: string;
  /** Throws when it does not respond within the deadline. */
  check(deadlineMs: number): Promise<void>;
}

/** A probe that waits longer has already given up. */
const checkDeadlineMs = 2_000;
/** Probes that arrive together share one check, so that frequent probes cost almost nothing. */
const freshForMs = 500;

/** Collects what the gateway reports about itself. */
export class Health {
  readonly #options;
  readonly #startedAtMs: number;
  #isDraining = false;
  #latest: { atMs: number; result: Promise<Checked> } | undefined;

  constructor(options: {
    database: Dependency['check'];
    /** Returns how much space is left; throws when nothing can be written. */
    storage: () => Promise<'ok' | 'low'>;
    /** Returns the state of the cache: `embedded` while it lives in this process. */
    cache: () => ServiceHealth['cache'];
    /** True while a restored gateway works on nothing. */
    isQuiet: () => boolean;
    version: string;
    clock: Clock;
  }) {
    this.#options = options;
    this.#startedAtMs = options.clock();
  }

  /** From now on the gateway is not ready, so that load balancers stop sending requests. */
  startDraining(): void {
    this.#isDraining = true;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  async readiness(): Promise<Readiness> {
    const { database, storage } = await this.#check();
    return {
      ready: database.ok && storage.ok && !this.#isDraining,
      draining: this.#isDraining,
      dependencies: [database, storage],
    };
  }

  /** Only signed-in callers get the version, because it shows a stranger which faults to try. */
  async service({ withVersion }: { withVersion: boolean }): Promise<ServiceHealth> {
    const { database, storage, space } = await this.#check();
    const cache = this.#options.cache();
    const isWell = database.ok && space === 'ok' && cache !== 'disconnected';
    return {
      status: isWell ? 'ok' : 'degraded',
      cache,
      redis: cache,
      database: database.ok ? 'connected' : 'disconnected',
      storage: storage.ok ? space : 'full',
      ...(withVersion && { version: this.#options.version }),
      uptimeSeconds: Math.floor((this.#options.clock() - this.#startedAtMs) / 1000),
      ...(this.#options.isQuiet() && { quiet: true as const }),
    };
  }

  #check(): Promise<Checked> {
    const nowMs = this.#options.clock();
    if (this.#latest && nowMs - this.#latest.atMs < freshForMs) return this.#latest.result;
    const result = this.#checkNow();
    this.#latest = { atMs: nowMs, result };
    return result;
  }

  async #checkNow(): Promise<Checked> {
    const { database: checkDatabase, storage: lookAtStorage } = this.#options;
    let space: Checked['space'] = 'low';
    const look = async (): Promise<void> => {
      space = await lookAtStorage();
    };
    const [database, storage] = await Promise.all([
      checkDependency({ name: 'database', check: checkDatabase }),
      checkDependency({ name: 'storage', check: look }),
    ]);
    return { database, storage, space };
  }
}

interface Checked {
  database: DependencyState;
  storage: DependencyState;
  /** Set when the storage accepts data. */
  space: 'ok' | 'low';
}

type DependencyState = Readiness['dependencies'][number];

async function checkDependency({ name, check }: Dependency): Promise<DependencyState> {
  const started = performance.now();
  const ok = await check(checkDeadlineMs).then(
    () => true,
    () => false,
  );
  return { name, ok, latencyMs: Math.round((performance.now() - started) * 100) / 100 };
}
