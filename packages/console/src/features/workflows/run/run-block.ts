import type { InstanceOutlook, ObstacleCode } from '@switchyard/contract/dispatch/task-why';
import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import type { WorkflowOutlook } from '@switchyard/contract/dispatch/workflow-outlook';
import type { FormDraft } from '../../../kit/fields/field-draft.ts';

/** Why no instance can run a workflow, and the one thing that would help. */
export type RunBlock =
  | { kind: 'none' }
  /** A field names a model that no instance has; another choice helps. */
  | { kind: 'model'; model: string; field: WorkflowParameter; others: string[] }
  /** The best instance lacks these nodes or models; they have to be installed. */
  | { kind: 'lacks'; missing: string[]; instance: string | null }
  | { kind: 'off' | 'unreachable' | 'paused' | 'later' };

const maxOthers = 3;

/** Returns null when an instance can run it, now or when it is done with another task. */
export function runBlock(
  { totals, instances }: Pick<WorkflowOutlook, 'totals' | 'instances'>,
  parameters: readonly WorkflowParameter[],
  { values }: FormDraft,
): RunBlock | null {
  if (totals.couldRun > 0) return null;
  if (totals.instances === 0) return { kind: 'none' };
  // What is up and lacks little is nearer than what is switched off.
  const up = instances.filter(
    ({ reasons }) => reasons.some(({ code }) => code === 'lacks') && reasons.every(isNoAbsence),
  );
  const [nearest, ...others] = up.toSorted((a, b) => missingOf(a).length - missingOf(b).length);
  if (nearest === undefined) return { kind: kindOf(instances) };
  const missing = missingOf(nearest);
  const field = parameters.find(
    ({ name, type, hidden }) => type === 'model' && !hidden && missing.includes(String(values[name])),
  );
  if (field !== undefined) {
    const model = String(values[field.name]);
    const choices = (field.choices ?? []).filter((choice) => choice !== model && !missing.includes(choice));
    return { kind: 'model', model, field, others: choices.slice(0, maxOthers) };
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
function kindOf(instances: readonly InstanceOutlook[]): 'off' | 'unreachable' | 'paused' | 'later' {
  const has = (code: ObstacleCode) =>
    instances.some(({ reasons }) => reasons.some((each) => each.code === code));
  if (has('checking') || has('cooling') || has('suspect') || has('used_by_others')) return 'later';
  if (has('paused')) return 'paused';
  return has('unreachable') ? 'unreachable' : 'off';
}
