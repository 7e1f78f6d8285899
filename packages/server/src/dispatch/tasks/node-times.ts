import type { Clock } from '../../lib/clock.ts';
import { RememberedAnswers } from '../../lib/remembered-answers.ts';
import { readNodes } from './node-record.ts';
import { minSamples, type TaskDurationStore } from './task-duration-store.ts';

interface NodeTimesOptions {
  store: Pick<TaskDurationStore, 'nodesOfGraph'>;
  steadyClock: Clock;
}

/** Milliseconds by the id of the node. */
export type UsualTimes = ReadonlyMap<string, number>;

/** Times of nodes change slowly, and a page that follows a task asks every few seconds. */
const rememberedMs = 30_000;
const maxRemembered = 100;

/** Knows how long the nodes of a graph take, from tasks that were completed lately. */
export class NodeTimes {
  readonly #store: NodeTimesOptions['store'];
  readonly #remembered: RememberedAnswers<UsualTimes>;

  constructor({ store, steadyClock }: NodeTimesOptions) {
    this.#store = store;
    this.#remembered = new RememberedAnswers({ rememberedMs, maxRemembered, steadyClock });
  }

  ofGraph(fingerprint: string): Promise<UsualTimes> {
    return this.#remembered.get(fingerprint, async () =>
      usualTimes(await this.#store.nodesOfGraph(fingerprint)),
    );
  }
}

/** The medians of the nodes that ran in enough of these records. */
export function usualTimes(records: readonly string[]): UsualTimes {
  const known = new Map<string, number[]>();
  for (const record of records) {
    for (const [nodeId, ms] of timesIn(record)) known.set(nodeId, [...(known.get(nodeId) ?? []), ms]);
  }
  const enough = [...known].filter(([, times]) => times.length >= minSamples);
  return new Map(enough.map(([nodeId, times]) => [nodeId, medianOf(times)]));
}

/** A node that was put off and started again took the sum of its spans. */
function timesIn(record: string): Map<string, number> {
  const times = new Map<string, number>();
  for (const { nodeId, startMs, endMs, state } of readNodes(record).spans) {
    if (state !== 'finished' || startMs === null || endMs === null) continue;
    times.set(nodeId, (times.get(nodeId) ?? 0) + endMs - startMs);
  }
  return times;
}

function medianOf(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  return Math.round((lower + upper) / 2);
}
