import type { ObstacleCode, TaskWhy } from '@switchyard/contract/dispatch/task-why';

type Outlook = TaskWhy['instances'][number];
type Reason = Outlook['reasons'][number];

/** A text of this feature with its values. Times are ISO texts and durations seconds until they are worded. */
export interface Sentence {
  key: string;
  values: Record<string, string | number>;
}

export interface ReasonSentence {
  code: ObstacleCode;
  /** Null when the answer has the reason as a text alone. */
  sentence: Sentence | null;
  message: string;
}

const maxNamed = 3;
const maxHelp = 5;

/** What a person can change. */
const remedies: ReadonlySet<ObstacleCode> = new Set([
  'off',
  'draining',
  'unreachable',
  'paused',
  'used_by_others',
  'lacks',
  'not_targeted',
]);

/** A server has several instances, so its name alone says too little. */
function nameOf({ serverName, instanceId }: Pick<Outlook, 'serverName' | 'instanceId'>): string {
  return `${serverName} (${instanceId})`;
}

/**
 * The answer in sentences of the page. Returns null when the gateway's own text says more: who paused a queue and why is told
 * nowhere else.
 */
export function whySentences(
  why: TaskWhy,
  nameOfInstance: (instanceId: string) => string,
): Sentence[] | null {
  const { phase, position, ahead, retryAt, totals, instances, runsOn } = why;
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
  if (instances.some(({ reasons }) => reasons.some(({ code }) => code === 'paused'))) return null;
  if (retryAt !== null) return [{ key: 'why.placedAgain', values: { until: retryAt } }];
  return [{ key: 'why.place', values: { ahead: ahead?.total ?? 0 } }, ableSentence(totals)];
}

function ableSentence({ instances, couldRun: could, free }: TaskWhy['totals']): Sentence {
  if (instances === 0) return { key: 'why.noInstance', values: {} };
  if (could === 0) return { key: 'why.noneAble', values: {} };
  return { key: free === 0 ? 'why.allBusy' : 'why.someFree', values: { could, free } };
}

/** Why an instance does not take the task. */
export function reasonSentences(outlook: Outlook): ReasonSentence[] {
  const name = nameOf(outlook);
  return outlook.reasons.map((reason) => ({
    code: reason.code,
    message: reason.message,
    sentence:
      reason.code === 'paused'
        ? null
        : { key: `obstacle.${reason.code}`, values: { name, ...partsOf(reason) } },
  }));
}

function partsOf({ code, missing, until }: Reason): Sentence['values'] {
  if (code === 'lacks') {
    return { missing: missing.slice(0, maxNamed).join(', '), left: Math.max(0, missing.length - maxNamed) };
  }
  return code === 'cooling' || code === 'avoided' ? { until: until ?? 'none' } : {};
}

/** What would let the task start sooner, by instance: what only one thing keeps from an instance stands first. */
export function helpSentences({ instances }: Pick<TaskWhy, 'instances'>): ReasonSentence[][] {
  const missingOf = ({ reasons }: Outlook) => reasons.reduce((sum, { missing }) => sum + missing.length, 0);
  return instances
    .filter(({ couldRun, reasons }) => !couldRun && reasons.some(({ code }) => remedies.has(code)))
    .sort((one, other) => one.reasons.length - other.reasons.length || missingOf(one) - missingOf(other))
    .slice(0, maxHelp)
    .map((outlook) => reasonSentences(outlook).filter(({ code }) => remedies.has(code)));
}
