import type { Clock } from '../../lib/clock.ts';
import { RememberedAnswers } from '../../lib/remembered-answers.ts';
import type { TaskDurationStore } from '../tasks/task-duration-store.ts';
import { type Durations, durationsOf } from './durations.ts';

/** A list that is read again and again asks the database this seldom. */
const rememberedMs = 5_000;
const maxRemembered = 1_000;
/** The instances that are asked how long tasks take there. */
const maxInstances = 16;

/** Estimates how long tasks take, from those that were completed lately. */
export class Estimates {
  readonly #options;
  readonly #remembered: RememberedAnswers<Durations | null>;

  constructor(options: { store: Pick<TaskDurationStore, 'ofGraph' | 'ofInstance'>; steadyClock: Clock }) {
    this.#options = options;
    const { steadyClock } = options;
    this.#remembered = new RememberedAnswers({ rememberedMs, maxRemembered, steadyClock });
  }

  /** Tasks with the same graph, on these instances. */
  async ofGraph(fingerprint: string, instanceIds: readonly string[]): Promise<Durations | null> {
    if (instanceIds.length === 0) return null;
    return this.#remember(['graph', fingerprint, ...instanceIds], async () => {
      const ids = new Set(instanceIds);
      const all = await this.#options.store.ofGraph(fingerprint);
      const here = all.filter(({ instanceId }) => instanceId !== null && ids.has(instanceId));
      return durationsOf(here.map(({ ms }) => ms));
    });
  }

  /** Tasks of any graph, on these instances. */
  async ofInstances(instanceIds: readonly string[]): Promise<Durations | null> {
    const asked = instanceIds.slice(0, maxInstances);
    return this.#remember(['instances', ...asked], async () => {
      const durations = await Promise.all(asked.map((id) => this.#options.store.ofInstance(id)));
      return durationsOf(durations.flat().map(({ ms }) => ms));
    });
  }

  #remember(question: readonly string[], read: () => Promise<Durations | null>): Promise<Durations | null> {
    return this.#remembered.get(question.join(' '), read);
  }
}
