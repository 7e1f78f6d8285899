import { type Durations, durationAt, remainingOf } from './durations.ts';

/** The time at which a task will have ended, as far as earlier tasks show it. */
export interface EtaMs {
  fromMs: number;
  toMs: number;
}

export interface QueuedWork {
  nowMs: number;
  /** The times that tasks with the same graph took. */
  own: Durations;
  /** The times that tasks of any graph took lately on the instances in question; null when that is not known. */
  others: Durations | null;
  /** The tasks ahead that need the same instances. */
  ahead: number;
  /** The other users with tasks ahead. How long these take decides whose turn is next, so one task more or less goes before. */
  rivals: number;
  /** For each instance that could run it and is at work, how long it has been at its task. */
  busyForMs: readonly number[];
  /** The instances that could run it and have nothing to do. */
  free: number;
  /** The time before which it is certainly not given to an instance. */
  delayMs: number;
}

/** Fewer than one in ten is to end later. What is not known, such as tasks that are still to come, needs some room. */
const toShare = 0.93;
/** A list asks for 200 estimates at once. Each takes about 0.1 ms with these bounds. */
const draws = 64;
const maxInstances = 16;
const maxTasksOneByOne = 44;

/**
 * Plays what is ahead on the instances, each time with other durations, and then the task itself. The sum of many durations
 * is known far better than each of them, which adding up their quartiles would hide. The same question has the same
 * answer. Returns null when no instance could run the task.
 */
export function etaOfWaiting(work: QueuedWork): EtaMs | null {
  const { nowMs, own, busyForMs, free, delayMs } = work;
  if (busyForMs.length + free === 0) return null;
  const line = lineOf(work);
  const endsMs = Array.from({ length: draws }, (_, draw) => waitOf(line, draw) + ownOf(own, draw));
  return spanOf(
    endsMs.sort((a, b) => a - b),
    nowMs + Math.max(delayMs, 0),
  );
}

/** Returns null when the task takes longer than all such tasks did: then they show nothing about it any more. */
export function etaOfRunning({
  nowMs,
  startMs,
  own,
}: {
  nowMs: number;
  startMs: number;
  own: Durations;
}): EtaMs | null {
  const remaining = remainingOf(own, nowMs - startMs);
  return remaining.length === 0 ? null : spanOf(remaining, nowMs);
}

/** Half of the durations end before its middle, unless the shortest of them is longer than that allows. */
function spanOf(durations: Durations, startMs: number): EtaMs {
  const [middle, to] = [durationAt(durations, 0.5), durationAt(durations, toShare)];
  const from = Math.max(2 * middle - to, durationAt(durations, 0));
  return { fromMs: Math.round(startMs + from), toMs: Math.round(startMs + to) };
}

interface Line {
  usual: Durations;
  /** The time that is left of the task of each instance that is at work. */
  remaining: Durations[];
  free: number;
  ahead: number;
  rivals: number;
}

/**
 * With many instances, a few stand for all of them and have their part of the tasks. A task that has taken longer than all before
 * counts as one that begins now.
 */
function lineOf({ own, others, ahead, rivals, busyForMs, free }: QueuedWork): Line {
  const usual = others ?? own;
  const instances = busyForMs.length + free;
  const part = Math.min(1, maxInstances / instances);
  const idle = Math.round(free * part);
  const remaining = busyForMs.slice(0, Math.round(instances * part) - idle).map((elapsedMs) => {
    const left = remainingOf(usual, elapsedMs);
    return left.length === 0 ? usual : left;
  });
  return { usual, remaining, free: idle, ahead: Math.round(ahead * part), rivals };
}

/** Returns how long it waits in one of the draws: until an instance has nothing to do and no task is ahead any more. */
function waitOf({ usual, remaining, free, ahead, rivals }: Line, draw: number): number {
  const freeAtMs = [
    ...remaining.map((left, index) => durationAt(left, shareOf(draw, index))),
    ...Array.from({ length: free }, () => 0),
  ];
  const turns = Math.round(2 * Math.sqrt(rivals) * (2 * shareOf(draw, turnsColumn) - 1));
  const tasks = Math.max(0, ahead + turns);
  const oneByOne = Math.min(tasks, maxTasksOneByOne);
  const bulkMs = bulkOf(usual, tasks - oneByOne, shareOf(draw, bulkColumn)) / freeAtMs.length;
  for (let task = 0; task < oneByOne; task += 1) {
    const first = freeAtMs.indexOf(Math.min(...freeAtMs));
    const taskMs = durationAt(usual, shareOf(draw, maxInstances + task));
    freeAtMs[first] = (freeAtMs[first] ?? 0) + taskMs;
  }
  return (bulkMs + Math.min(...freeAtMs)) * errorOf(usual, shareOf(draw, errorColumn));
}

/** By what the mean of so few durations may differ from the mean of those that come. */
function errorOf(usual: Durations, share: number): number {
  const meanMs = meanOf(usual);
  if (meanMs === 0) return 1;
  return Math.max(0, 1 + (durationAt(usual, share) - meanMs) / (meanMs * Math.sqrt(usual.length)));
}

function ownOf(own: Durations, draw: number): number {
  return durationAt(own, shareOf(draw, ownColumn));
}

/** The time of many tasks together: their deviations from the mean partly cancel out. */
function bulkOf(usual: Durations, tasks: number, share: number): number {
  if (tasks === 0) return 0;
  const meanMs = meanOf(usual);
  return Math.max(0, tasks * meanMs + Math.sqrt(tasks) * (durationAt(usual, share) - meanMs));
}

function meanOf(durations: Durations): number {
  return durations.reduce((sum, ms) => sum + ms, 0) / durations.length;
}

/**
 * Each column of the draws takes every part of the durations once, in an order of its own: so 64 draws show as much as
 * many more that are left to chance.
 */
function shareOf(draw: number, column: number): number {
  return ((orders[column]?.[draw] ?? 0) + 0.5) / draws;
}

const [bulkColumn, ownColumn, turnsColumn, errorColumn] = [60, 61, 62, 63] as const;
const orders = Array.from({ length: 64 }, (_, column) => {
  const next = randomOf(column + 1);
  const order = Array.from({ length: draws }, (__, index) => index);
  for (let index = draws - 1; index > 0; index -= 1) {
    const other = Math.floor(next() * (index + 1));
    [order[index], order[other]] = [order[other] ?? 0, order[index] ?? 0];
  }
  return order;
});

/** A row of numbers from 0 to 1 that is the same each time (Mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
