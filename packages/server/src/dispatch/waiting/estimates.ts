import type { Clock } from '../../lib/clock.ts';
import type { Duration, TaskDurationStore } from '../tasks/task-duration-store.ts';
import { type Quartiles, quartilesOf } from './quartiles.ts';

interface EstimatesOptions {
  store: Pick<TaskDurationStore, 'ofGraph' | 'ofInstance'>;
  steadyClock: Clock;
}

interface Remembered {
  durations: Promise<Duration[]>;
  atMs: number;
}

/** A list that is read again and again asks the database this seldom. */
const rememberedMs = 5_000;
const maxRemembered = 1_000;
/** The instances that are asked how long tasks take there. */
const maxInstances = 16;

/** How long tasks take, from those that were completed lately. */
export class Estimates {
  readonly #options: EstimatesOptions;
  readonly #remembered = new Map<string, Remembered>();

  constructor(options: EstimatesOptions) {
    this.#options = options;
  }

  /** Tasks with the same graph, on these instances. */
  async ofGraph(fingerprint: string, instanceIds: readonly string[]): Promise<Quartiles | null> {
    const ids = new Set(instanceIds);
    if (ids.size === 0) return null;
    const all = await this.#remember(`graph ${fingerprint}`, () => this.#options.store.ofGraph(fingerprint));
    const here = all.filter(({ instanceId }) => instanceId !== null && ids.has(instanceId));
    return quartilesOf(here.map(({ ms }) => ms));
  }

  /** Tasks of any graph, on these instances. */
  async ofInstances(instanceIds: readonly string[]): Promise<Quartiles | null> {
    const asked = instanceIds.slice(0, maxInstances);
    const durations = await Promise.all(
      asked.map((id) => this.#remember(`instance ${id}`, () => this.#options.store.ofInstance(id))),
    );
    return quartilesOf(durations.flat().map(({ ms }) => ms));
  }

  #remember(key: string, read: () => Promise<Duration[]>): Promise<Duration[]> {
    const nowMs = this.#options.steadyClock();
    const known = this.#remembered.get(key);
    if (known && nowMs - known.atMs < rememberedMs) return known.durations;
    const durations = read();
    // A failed read is tried again at the next question.
    durations.catch(() => this.#remembered.delete(key));
    this.#remembered.delete(key);
    this.#remembered.set(key, { durations, atMs: nowMs });
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > maxRemembered && oldest !== undefined) this.#remembered.delete(oldest);
    return durations;
  }
}
