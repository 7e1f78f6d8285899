import { type SweepAxisInput, sweepLimits } from '@switchyard/contract/dispatch/sweep';
import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { isSeed } from '../../../kit/fields/seed.ts';

export const axisKinds = ['values', 'range', 'lines', 'seeds', 'choices'] as const;
export type AxisKind = (typeof axisKinds)[number];

/** An axis as it is being written: texts that may not be values yet. */
export interface AxisDraft {
  param: string;
  kind: AxisKind;
  values: string;
  lines: string;
  from: string;
  to: string;
  step: string;
  seeds: string;
  choices: readonly string[];
}

/** The ways in which the values of a parameter can be given, the usual one first. */
export function kindsFor(parameter: WorkflowParameter): AxisKind[] {
  const { type, choices } = parameter;
  if (type === 'boolean' || ((type === 'choice' || type === 'model') && choices?.length)) return ['choices'];
  if (isSeed(parameter)) return ['seeds', 'values', 'range'];
  if (type === 'integer' || type === 'number') return ['values', 'range'];
  return type === 'any' ? ['values', 'lines'] : ['lines'];
}

/** Pictures are varied over the API; a list of them has no place here yet. */
export function canVary({ hidden, type }: WorkflowParameter): boolean {
  return !hidden && type !== 'file';
}

export function choicesOf({ type, choices }: WorkflowParameter): readonly string[] {
  return type === 'boolean' ? ['true', 'false'] : (choices ?? []);
}

/** Begins with values around the present one, so that an axis says something at once. */
export function newAxis(parameter: WorkflowParameter, present: unknown): AxisDraft {
  const [kind = 'values'] = kindsFor(parameter);
  const from = Number(present ?? parameter.default ?? 0);
  const step = parameter.step ?? 1;
  const known = { minimum: parameter.minimum ?? -Infinity, maximum: parameter.maximum ?? Infinity };
  const to = Math.min(known.maximum, Math.max(known.minimum, from + 4 * step));
  const isText = kind === 'lines' && typeof present === 'string';
  return {
    param: parameter.name,
    kind,
    values: typeof present === 'number' ? String(present) : '',
    lines: isText ? present.replaceAll(/\s*\n\s*/g, ' ') : '',
    from: String(from),
    to: String(to),
    step: String(step),
    seeds: '4',
    choices: choicesOf(parameter).slice(0, 2),
  };
}

/** Returns the axis as the gateway takes it; null while it has no value yet. */
export function axisOf(draft: AxisDraft, parameter: WorkflowParameter): SweepAxisInput | null {
  const { param, kind } = draft;
  switch (kind) {
    case 'range': {
      const [from, to, step] = [numberIn(draft.from), numberIn(draft.to), numberIn(draft.step)];
      const isRange = from !== null && to !== null && step !== null && step > 0;
      return isRange ? { param, range: { from, to, step } } : null;
    }
    case 'seeds': {
      const seeds = numberIn(draft.seeds);
      return seeds !== null && Number.isInteger(seeds) && seeds > 0 ? { param, seeds } : null;
    }
    case 'lines':
      return draft.lines.trim() === '' ? null : { param, lines: draft.lines.slice(0, sweepLimits.lineBytes) };
    case 'choices': {
      const chosen = choicesOf(parameter).filter((choice) => draft.choices.includes(choice));
      const values = parameter.type === 'boolean' ? chosen.map((choice) => choice === 'true') : chosen;
      return values.length === 0 ? null : { param, values };
    }
    case 'values': {
      const texts = draft.values.split(/[,\n;]/).map((text) => text.trim());
      const values = texts.filter((text) => text !== '').map((text) => valueIn(text, parameter));
      return values.length === 0 ? null : { param, values };
    }
  }
}

/** A text that is not a number stays one, so that the gateway can name it. */
function valueIn(text: string, { type }: WorkflowParameter): unknown {
  if (type !== 'integer' && type !== 'number' && type !== 'any') return text;
  return numberIn(text) ?? text;
}

function numberIn(text: string): number | null {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

/** A value as the head of a row or column, short enough to be read. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
