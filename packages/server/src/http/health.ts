import type { Readiness, ServiceHealth } from '@switchyard/contract/meta';
import type { Clock } from '../lib/clock.ts';

/** Something that the gateway cannot serve without. */
export interface Dependency {
  name: string;
  /** Throws when it does not answer within the deadline. */
  check(deadlineMs: number): Promise<void>;
}

interface HealthOptions {
  database: Dependency['check'];
  /** How the cache stands: `embedded` while it lives in this process. */
  cache: () => ServiceHealth['cache'];
  version: string;
  clock: Clock;
}

/** A probe that waits longer has given up on us anyway. */
const checkDeadlineMs = 2_000;
/** Probes that come together share one check, so that asking often costs nothing. */
const freshForMs = 500;

/** What the gateway says about itself. */
export class Health {
  readonly #options: HealthOptions;
  readonly #startedAtMs: number;
  #isDraining = false;
  #latest: { atMs: number; result: Promise<DependencyState> } | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#startedAtMs = options.clock();
  }

  /** From now on the gateway is not ready, so that load balancers stop sending. */
  startDraining(): void {
    this.#isDraining = true;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  async readiness(): Promise<Readiness> {
    const database = await this.#database();
    return {
      ready: database.ok && !this.#isDraining,
      draining: this.#isDraining,
      dependencies: [database],
    };
  }

  async service(): Promise<ServiceHealth> {
    const { ok } = await this.#database();
    const cache = this.#options.cache();
    return {
      status: ok && cache !== 'disconnected' ? 'ok' : 'degraded',
      cache,
      redis: cache,
      database: ok ? 'connected' : 'disconnected',
      version: this.#options.version,
      uptimeSeconds: Math.floor((this.#options.clock() - this.#startedAtMs) / 1000),
    };
  }

  #database(): Promise<DependencyState> {
    const nowMs = this.#options.clock();
    if (this.#latest && nowMs - this.#latest.atMs < freshForMs) return this.#latest.result;
    const result = checkDependency({ name: 'database', check: this.#options.database });
    this.#latest = { atMs: nowMs, result };
    return result;
  }
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
