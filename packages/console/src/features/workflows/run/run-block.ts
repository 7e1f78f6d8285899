import type { InstanceOutlook, ObstacleCode } from '@switchyard/contract/dispatch/task-why';
import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import type { WorkflowOutlook } from '@switchyard/contract/dispatch/workflow-outlook';
import type { FormDraft } from '../../../kit/fields/field-draft.ts';
import { instanceNameOf } from '../../../kit/obstacles/obstacle-sentences.ts';

/** Why no instance can run a workflow, and the one thing that would help. */
export type RunBlock =
  | { kind: 'none' }
  /** The queue takes no further run, of anybody or of this user. */
  | { kind: 'full'; of: 'all' | 'user' }
  /** A field names a model that no instance has; one of those that instances have helps. */
  | {
      kind: 'model';
      model: string;
      field: WorkflowParameter;
      instead: Omit<WorkflowOutlook['instead'][number], 'model'> | null;
    }
  /** The best instance lacks these nodes or models; they have to be installed. */
  | { kind: 'lacks'; missing: string[]; instance: string | null }
  | { kind: 'paused'; pause: Pause | null }
  /** These do not answer; somebody has to look at them. */
  | { kind: 'unreachable'; instances: string[] }
  | { kind: 'off' | 'later' };

type Pause = InstanceOutlook['reasons'][number]['pause'];

/** Returns null when the queue takes it and an instance can run it, now or when it is done with another task. */
export function runBlock(
  { totals, instances, instead, queueFull }: Omit<WorkflowOutlook, 'seconds' | 'cost' | 'maxPriority'>,
  parameters: readonly WorkflowParameter[],
  { values }: FormDraft,
): RunBlock | null {
  if (totals.couldRun > 0) return queueFull && { kind: 'full', of: queueFull };
  if (totals.instances === 0) return { kind: 'none' };
  const whole = instances.filter(({ reasons }) => reasons.every(({ code }) => code !== 'lacks'));
  if (whole.some(({ reasons }) => reasons.every(isNoAbsence))) return absenceOf(whole);
  // What is up and lacks little is nearer than what is switched off.
  const up = instances.filter(
    ({ reasons }) => reasons.some(({ code }) => code === 'lacks') && reasons.every(isNoAbsence),
  );
  const [nearest, ...others] = up.toSorted((a, b) => missingOf(a).length - missingOf(b).length);
  if (nearest === undefined) return absenceOf(instances);
  const missing = missingOf(nearest);
  const field = parameters.find(
    ({ name, type, hidden }) => type === 'model' && !hidden && missing.includes(String(values[name])),
  );
  if (field !== undefined) {
    const model = String(values[field.name]);
    return { kind: 'model', model, field, instead: instead.find((each) => each.model === model) ?? null };
  }
  const isSame = others.every((each) => missing.every((name) => missingOf(each).includes(name)));
  return { kind: 'lacks', missing, instance: isSame ? null : nearest.serverName };
}

const absences: readonly ObstacleCode[] = ['off', 'unreachable', 'checking', 'suspect', 'draining'];
const isNoAbsence = ({ code }: { code: ObstacleCode }): boolean => !absences.includes(code);

function missingOf({ reasons }: InstanceOutlook): string[] {
  return reasons.flatMap(({ missing }) => missing);
}

/** A pause ends when somebody ends it, a switch when somebody turns it; the rest is over by itself. */
function absenceOf(instances: readonly InstanceOutlook[]): RunBlock {
  const reasons = instances.flatMap((instance) => instance.reasons);
  const has = (code: ObstacleCode) => reasons.some((each) => each.code === code);
  if (has('checking') || has('cooling') || has('suspect') || has('used_by_others')) return { kind: 'later' };
  const paused = reasons.find(({ code }) => code === 'paused');
  if (paused) return { kind: 'paused', pause: paused.pause };
  const unreached = instances.filter((each) => each.reasons.some(({ code }) => code === 'unreachable'));
  return unreached.length > 0
    ? { kind: 'unreachable', instances: unreached.map(instanceNameOf) }
    : { kind: 'off' };
}
