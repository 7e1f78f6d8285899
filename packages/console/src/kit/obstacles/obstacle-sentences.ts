import type { ObstacleCode, TaskWhy } from '@switchyard/contract/dispatch/task-why';
import type { Sentence } from './use-sentence.ts';

type Outlook = TaskWhy['instances'][number];
type Reason = Outlook['reasons'][number];
type Pause = NonNullable<TaskWhy['pause']>;

export interface ReasonSentence {
  code: ObstacleCode;
  /** Null when the answer has the reason as a text alone. */
  sentence: Sentence | null;
  message: string;
}

const maxNamed = 3;

/** A server has several instances, so its name alone is not enough. */
export function instanceNameOf({
  serverName,
  instanceId,
}: Pick<Outlook, 'serverName' | 'instanceId'>): string {
  return `${serverName} (${instanceId})`;
}

/** Why an instance does not take a task. */
export function reasonSentences(outlook: Outlook): ReasonSentence[] {
  const name = instanceNameOf(outlook);
  return outlook.reasons.map((reason) => ({
    code: reason.code,
    message: reason.message,
    sentence: sentenceOf(reason, name),
  }));
}

function sentenceOf(reason: Reason, name: string): Sentence | null {
  const { code, pause } = reason;
  if (code !== 'paused') return { key: code, values: { name, ...partsOf(reason) } };
  return pause && { key: `paused.${pause.scope}`, values: { name, ...valuesOfPause(pause) } };
}

/** Returns who has paused, since when and why. */
export function valuesOfPause({ target, by, since, reason }: Pause): Sentence['values'] {
  return { target: target ?? '', by, since, told: reason === null ? 'no' : 'yes', reason: reason ?? '' };
}

function partsOf({ code, missing, until }: Reason): Sentence['values'] {
  if (code === 'lacks') {
    return { missing: missing.slice(0, maxNamed).join(', '), left: Math.max(0, missing.length - maxNamed) };
  }
  return code === 'cooling' || code === 'avoided' ? { until: until ?? 'none' } : {};
}
