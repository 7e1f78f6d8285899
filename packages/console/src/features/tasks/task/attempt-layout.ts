import type { TaskAttempt } from '@switchyard/contract/dispatch/task';

export interface AttemptBar {
  attempt: number;
  instanceId: string;
  outcome: string | null;
  /** Both in per cent of the whole strip. */
  left: number;
  width: number;
  ms: number;
}

export interface AttemptStrip {
  instances: { instanceId: string; bars: AttemptBar[] }[];
  /** The times that the strip spans: from the submission to the end, or to now. */
  fromMs: number;
  toMs: number;
}

type Shown = Pick<TaskAttempt, 'attempt' | 'instanceId' | 'outcome' | 'startedAt' | 'endedAt'>;

const minBarWidth = 0.8;

/** Attempts as bars on one time axis, a line for each instance, in the order in which they got the task. */
export function layOutAttempts(
  attempts: readonly Shown[],
  { createdAt, nowMs }: { createdAt: string; nowMs: number },
): AttemptStrip {
  const fromMs = Date.parse(createdAt);
  const ends = attempts.map(({ endedAt }) => (endedAt === null ? nowMs : Date.parse(endedAt)));
  const toMs = Math.max(fromMs + 1, ...ends);
  const lines = new Map<string, AttemptBar[]>();
  attempts.forEach(({ attempt, instanceId, outcome, startedAt }, index) => {
    const start = Math.max(fromMs, Date.parse(startedAt));
    const end = Math.max(start, ends[index] ?? start);
    const left = ((start - fromMs) / (toMs - fromMs)) * 100;
    const width = Math.max(minBarWidth, ((end - start) / (toMs - fromMs)) * 100);
    const bar = {
      attempt,
      instanceId,
      outcome,
      left: Math.min(left, 100 - minBarWidth),
      width,
      ms: end - start,
    };
    lines.set(instanceId, [
      ...(lines.get(instanceId) ?? []),
      { ...bar, width: Math.min(width, 100 - bar.left) },
    ]);
  });
  return { instances: [...lines].map(([instanceId, bars]) => ({ instanceId, bars })), fromMs, toMs };
}
