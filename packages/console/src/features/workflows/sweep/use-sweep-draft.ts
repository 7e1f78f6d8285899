import type { NewSweep, SweepAxisInput, SweepDetail } from '@switchyard/contract/dispatch/sweep';
import type { SavedWorkflowDetail, WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { useState } from 'react';
import type { FormState } from '../../../kit/fields/use-form-state.ts';
import { type AxisDraft, type AxisProblem, axisOf, axisWith, newAxis } from './axis-draft.ts';

/** What the panel begins with: one field as an axis, an earlier sweep, or neither. */
export interface SweepBeginning {
  param?: string;
  sweep?: SweepDetail;
}

export type SweepDraft = ReturnType<typeof useSweepDraft>;

/** A sweep while it is being written: its axes, what picks its words, and what is seldom changed. */
export function useSweepDraft(workflow: SavedWorkflowDetail, form: FormState, begin: SweepBeginning) {
  const varied = workflow.parameters.filter(({ hidden }) => !hidden);
  const named = (name: string) => varied.find((parameter) => parameter.name === name);
  const present = ({ name, default: value }: WorkflowParameter) => form.params[name] ?? value;
  const axisFor = (parameter: WorkflowParameter) => newAxis(parameter, present(parameter));
  const { sweep } = begin;
  const [axes, setAxes] = useState<AxisDraft[]>(() => {
    const earlier = (sweep?.axes ?? []).flatMap(({ param, values }) => {
      const parameter = named(param);
      return parameter ? [axisWith(parameter, values)] : [];
    });
    const first = named(begin.param ?? '') ?? varied[0];
    return earlier.length > 0 || !first ? earlier : [axisFor(first)];
  });
  const [wildcards, setWildcards] = useState<readonly string[]>(
    () => sweep?.wildcards.filter((name) => named(name)) ?? [],
  );
  const { name, settings } = sweep ?? { name: workflow.name, settings: {} as SweepDetail['settings'] };
  const { priority, pool, ...others } = settings;
  const [more, setMore] = useState({
    name: name === workflow.name ? '' : name,
    priority: String(priority ?? ''),
    pool: pool ?? '',
    seed: String(sweep?.wildcardSeed ?? ''),
  });
  const read = axes.map((axis): SweepAxisInput | AxisProblem => {
    const parameter = named(axis.param);
    return parameter ? axisOf(axis, parameter) : 'empty';
  });
  const ready = read.filter((axis) => typeof axis !== 'string');
  const rest = restOf(more, wildcards);
  const body: NewSweep | null =
    ready.length > 0 && ready.length === read.length
      ? {
          ...others,
          workflowId: workflow.id,
          version: workflow.version,
          params: form.params,
          axes: ready,
          ...rest,
        }
      : null;
  const hasGroup = (parameter: WorkflowParameter) => {
    const axis = axes.find(({ param }) => param === parameter.name);
    const shown = axis ? axis.lines + axis.values : String(present(parameter));
    return (parameter.type === 'string' || parameter.type === 'any') && shown.includes('{');
  };
  const change = (index: number, next: AxisDraft) => setAxes(axes.with(index, next));
  return {
    varied,
    axes,
    problems: read.map((axis) => (typeof axis === 'string' ? axis : null)),
    /** The axes of the earlier sweep whose fields this version does not have. */
    lost: (sweep?.axes ?? []).flatMap(({ param, label }) => (named(param) ? [] : [label])),
    body,
    wildcards,
    more,
    setMore,
    /** The texts in which a run could pick. */
    pickable: varied.filter((parameter) => hasGroup(parameter) || wildcards.includes(parameter.name)),
    change,
    replace: (index: number, param: string) => {
      const parameter = named(param);
      if (parameter) change(index, axisFor(parameter));
    },
    remove: (index: number) => setAxes(axes.toSpliced(index, 1)),
    add: () => {
      const free = varied.find(({ name: each }) => !axes.some(({ param }) => param === each));
      if (free) setAxes([...axes, axisFor(free)]);
    },
    pick: (param: string, isOn: boolean) =>
      setWildcards(isOn ? [...wildcards, param] : wildcards.filter((each) => each !== param)),
  };
}

function restOf(
  { name, priority, pool, seed }: { name: string; priority: string; pool: string; seed: string },
  wildcards: readonly string[],
): Partial<NewSweep> {
  const given = {
    name: name.trim(),
    priority: priority && Number(priority),
    pool,
    ...(wildcards.length > 0 && { wildcards, wildcardSeed: seed && Number(seed) }),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
}
