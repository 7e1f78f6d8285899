import { describe, expect, it } from 'vitest';
import type { PendingTask } from '../queue/pending-entry.ts';
import { PendingQueue } from '../queue/pending-queue.ts';
import { durationsOf } from './durations.ts';
import { etaOfWaiting } from './eta.ts';

/** Numbers from 0 to 1 that are the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

type Random = () => number;
const normal = (random: Random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** The times that tasks take, in milliseconds. */
const kinds = {
  'about the same time': (random: Random) => 10_000 * Math.exp(0.1 * normal(random)),
  'different times': (random: Random) => 10_000 * Math.exp(0.5 * normal(random)),
  'a short time, or a long one while a model is loaded': (random: Random) =>
    (random() < 0.2 ? 60_000 : 5_000) * Math.exp(0.1 * normal(random)),
};

const anything = { lastFingerprint: null, canRun: () => true, mayServe: () => true };
const users = ['ann', 'bob', 'cem'];

/**
 * A pool that gets a number of tasks from three users at once, again and again, and asks for the estimate of each. The queue is
 * the real one. Returns the median of the real time over the middle of the estimate, for tasks that wait, and which part of all tasks was late.
 */
function play({
  seed,
  instances,
  takes,
}: {
  seed: number;
  instances: number;
  takes: (random: Random) => number;
}) {
  const random = randomOf(seed);
  const queue = new PendingQueue();
  const lately = Array.from({ length: 100 }, () => takes(random));
  const busyUntilMs: number[] = Array.from({ length: instances }, () => 0);
  const busySinceMs: number[] = Array.from({ length: instances }, () => 0);
  const told = new Map<string, { fromMs: number; toMs: number; waits: boolean }>();
  const ratios: number[] = [];
  let late = 0;
  let ended = 0;
  let nowMs = 0;
  let made = 0;

  const submit = (owner: string) => {
    made += 1;
    queue.add({
      id: `task-${made}`,
      owner,
      createdAtMs: nowMs + made / 1_000,
      priority: 0,
      frontMs: null,
      attempt: 0,
      fingerprint: 'g.',
      requirement: { nodeClasses: [], models: [], pool: null, pinnedInstanceId: null },
      avoids: [],
    } satisfies PendingTask);
  };
  const ask = (taskId: string) => {
    const usual = durationsOf(lately.slice(-100)) ?? [];
    const busyForMs = busyUntilMs.flatMap((until, index) =>
      until > nowMs ? [nowMs - (busySinceMs[index] ?? 0)] : [],
    );
    const ahead = queue.competing(taskId, () => true);
    const rivals = queue.ahead(taskId)?.rivals ?? 0;
    const free = instances - busyForMs.length;
    const eta = etaOfWaiting({
      nowMs,
      own: usual,
      others: usual,
      ahead,
      rivals,
      busyForMs,
      free,
      delayMs: 0,
    });
    if (eta) told.set(taskId, { ...eta, waits: ahead >= 2 * instances });
  };
  const place = (index: number) => {
    const task = queue.take({ id: `instance-${index}`, ...anything });
    if (!task) return;
    const tookMs = takes(random);
    const endMs = nowMs + tookMs;
    lately.push(tookMs);
    queue.charge(task.owner, tookMs / 1_000);
    busySinceMs[index] = nowMs;
    busyUntilMs[index] = endMs;
    const eta = told.get(task.id);
    if (!eta) return;
    const askedMs = Math.floor(nowMs / roundMs) * roundMs;
    ended += 1;
    if (eta.waits) ratios.push((endMs - askedMs) / ((eta.fromMs + eta.toMs) / 2 - askedMs));
    if (endMs > eta.toMs) late += 1;
  };

  for (let round = 0; round < 40; round += 1) {
    nowMs = round * roundMs;
    const before = made;
    const count = 1 + Math.floor(random() * 40);
    for (let task = 0; task < count; task += 1) submit(users[Math.floor(random() * 3)] ?? 'ann');
    for (let task = before + 1; task <= made; task += 1) ask(`task-${task}`);
    while (queue.size > 0) {
      const index = busyUntilMs.indexOf(Math.min(...busyUntilMs));
      nowMs = Math.max(nowMs, busyUntilMs[index] ?? 0);
      place(index);
    }
  }
  ratios.sort((a, b) => a - b);
  return { median: ratios[Math.floor(ratios.length / 2)] ?? 0, late: late / ended, tasks: ended };
}

/** Everything of one round has ended before the next. */
const roundMs = 100_000_000;

describe.each([
  ['about the same time', [1, 2, 4, 8]],
  ['different times', [1, 2, 4, 8]],
  ['a short time, or a long one while a model is loaded', [1, 2]],
] as const)('estimates of tasks that take %s', (kind, pools) => {
  it.each(pools)('are right in the middle and seldom late with %i instances', (instances) => {
    const { median, late } = play({ seed: 28, instances, takes: kinds[kind] });
    expect(median).toBeGreaterThan(0.9);
    expect(median).toBeLessThan(1.1);
    expect(late).toBeLessThanOrEqual(0.1);
  });
});
