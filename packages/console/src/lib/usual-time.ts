import type { UsualNodeTime } from '@switchyard/contract/dispatch/task-node';

export interface UsualTime {
  fromMs: number;
  toMs: number;
}

/** Less would be written as zero seconds, which says nothing. */
const minShownMs = 50;

/** The times by node, without those that are too short to be shown. */
export function usualTimes(times: readonly UsualNodeTime[]): ReadonlyMap<string, number> {
  const told = times.filter(({ seconds }) => seconds * 1_000 >= minShownMs);
  return new Map(told.map(({ node, seconds }) => [node, seconds * 1_000]));
}

/** Returns how long the node with this title usually takes: a range when several nodes have it. Null when that is not known. */
export function usualTimeOf(times: readonly UsualNodeTime[], title: string | null): UsualTime | null {
  const found = times.filter((time) => time.title === title).map(({ seconds }) => seconds * 1_000);
  const toMs = Math.max(0, ...found);
  return toMs < minShownMs ? null : { fromMs: Math.min(...found), toMs };
}
