import type { UsualNodeTime } from '@switchyard/contract/dispatch/task-node';

export interface UsualTime {
  fromMs: number;
  toMs: number;
}

/** How long the node with this title usually takes: a range when several nodes have it. Null when that is not known. */
export function usualTimeOf(times: readonly UsualNodeTime[], title: string | null): UsualTime | null {
  const found = times.filter((time) => time.title === title).map(({ seconds }) => seconds * 1_000);
  return found.length === 0 ? null : { fromMs: Math.min(...found), toMs: Math.max(...found) };
}
