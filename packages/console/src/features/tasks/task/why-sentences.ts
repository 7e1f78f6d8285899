import type { ObstacleCode, TaskWhy } from '@switchyard/contract/dispatch/task-why';
import {
  type ReasonSentence,
  reasonSentences,
  valuesOfPause,
} from '../../../kit/obstacles/obstacle-sentences.ts';
import type { Sentence } from '../../../kit/obstacles/use-sentence.ts';

type Outlook = TaskWhy['instances'][number];
type Reason = Outlook['reasons'][number];

const maxHelp = 5;

/** The obstacles that a person can remove. */
const remedies: ReadonlySet<ObstacleCode> = new Set([
  'off',
  'draining',
  'unreachable',
  'paused',
  'used_by_others',
  'lacks',
  'not_targeted',
]);

/** The answer in sentences of the page. Returns null when the gateway's own text says more. */
export function whySentences(
  why: TaskWhy,
  nameOfInstance: (instanceId: string) => string,
): Sentence[] | null {
  const { phase, position, ahead, pause, retryAt, totals, runsOn } = why;
  if (phase === 'ended') return null;
  if (phase !== 'queued') {
    if (runsOn === null) return null;
    const values = { name: nameOfInstance(runsOn.instanceId) };
    if (phase !== 'executing') return [{ key: `why.${phase}`, values }];
    const since = { ...values, seconds: runsOn.seconds };
    return runsOn.node === null
      ? [{ key: 'why.executing', values: since }]
      : [{ key: 'why.executingNode', values: { ...since, node: runsOn.node } }];
  }
  if (position === null) return [{ key: 'why.placing', values: {} }];
  const place = { key: 'why.place', values: { ahead: ahead?.total ?? 0 } };
  if (pause !== null) return [place, { key: `why.paused.${pause.scope}`, values: valuesOfPause(pause) }];
  if (retryAt !== null) return [{ key: 'why.placedAgain', values: { until: retryAt } }];
  return [place, ableSentence(totals)];
}

function ableSentence({ instances, couldRun: could, free }: TaskWhy['totals']): Sentence {
  if (instances === 0) return { key: 'why.noInstance', values: {} };
  if (could === 0) return { key: 'why.noneAble', values: {} };
  return { key: free === 0 ? 'why.allBusy' : 'why.someFree', values: { could, free } };
}

/**
 * Returns what would let the task start sooner, by instance: a thing that alone keeps the task from an instance stands
 * first. A pause that keeps the task from every instance stands in the answer already.
 */
export function helpSentences({
  instances,
  pause,
}: Pick<TaskWhy, 'instances' | 'pause'>): ReasonSentence[][] {
  const missingOf = ({ reasons }: Outlook) => reasons.reduce((sum, { missing }) => sum + missing.length, 0);
  const isHelp = ({ code, pause: own }: Reason) =>
    remedies.has(code) && (own === null || pause === null || own.scope === 'pool');
  return instances
    .filter(({ couldRun, reasons }) => !couldRun && reasons.some(isHelp))
    .sort((one, other) => one.reasons.length - other.reasons.length || missingOf(one) - missingOf(other))
    .slice(0, maxHelp)
    .map((outlook) => reasonSentences({ ...outlook, reasons: outlook.reasons.filter(isHelp) }));
}
