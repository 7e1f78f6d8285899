import { type SweepAxisInput, sweepLimits } from '@switchyard/contract/dispatch/sweep';
import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import type { FileDraft } from '../../../kit/fields/field-draft.ts';
import { isSeed } from '../../../kit/fields/seed.ts';

export const axisKinds = ['values', 'range', 'lines', 'seeds', 'choices', 'files'] as const;
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
  files: readonly FileDraft[];
}

/** `empty`: nothing is given yet, which is not a mistake. */
export type AxisProblem = 'empty' | 'noNumbers' | 'step' | 'seeds' | 'tooLong';

/** The ways in which the values of a parameter can be given, the usual one first. */
export function kindsFor(parameter: WorkflowParameter): AxisKind[] {
  const { type, choices } = parameter;
  if (type === 'file') return ['files'];
  if (type === 'boolean' || ((type === 'choice' || type === 'model') && choices?.length)) return ['choices'];
  if (isSeed(parameter)) return ['seeds', 'values', 'range'];
  if (type === 'integer' || type === 'number') return ['values', 'range'];
  return type === 'any' ? ['values', 'lines'] : ['lines'];
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
    lines: isText ? inOneLine(present) : '',
    from: String(from),
    to: String(to),
    step: String(step),
    seeds: '4',
    choices: choicesOf(parameter).slice(0, 2),
    files: [present].flatMap(fileIn),
  };
}

/** The axis of an earlier sweep: its values one by one. */
export function axisWith(parameter: WorkflowParameter, values: readonly unknown[]): AxisDraft {
  const axis = newAxis(parameter, values[0]);
  const texts = values.map(valueText);
  return {
    ...axis,
    kind: axis.kind === 'seeds' ? 'values' : axis.kind,
    values: texts.join(', '),
    lines: texts.map(inOneLine).join('\n'),
    choices: choicesOf(parameter).filter((choice) => texts.includes(choice)),
    files: values.flatMap(fileIn),
  };
}

/** Returns the axis as the gateway takes it, or what keeps it from being one. */
export function axisOf(draft: AxisDraft, parameter: WorkflowParameter): SweepAxisInput | AxisProblem {
  const { param, kind } = draft;
  switch (kind) {
    case 'range': {
      const [from, to, step] = [numberIn(draft.from), numberIn(draft.to), numberIn(draft.step)];
      if (from === null || to === null || step === null) return 'noNumbers';
      return step > 0 ? { param, range: { from, to, step } } : 'step';
    }
    case 'seeds': {
      const seeds = numberIn(draft.seeds);
      return seeds !== null && Number.isInteger(seeds) && seeds > 0 ? { param, seeds } : 'seeds';
    }
    case 'lines':
      if (draft.lines.length > sweepLimits.lineBytes) return 'tooLong';
      return draft.lines.trim() === '' ? 'empty' : { param, lines: draft.lines };
    case 'choices': {
      const chosen = choicesOf(parameter).filter((choice) => draft.choices.includes(choice));
      const values = parameter.type === 'boolean' ? chosen.map((choice) => choice === 'true') : chosen;
      return values.length === 0 ? 'empty' : { param, values };
    }
    case 'files': {
      const values = draft.files.map(({ fileId }) => ({ $file: fileId }));
      return values.length === 0 ? 'empty' : { param, values };
    }
    case 'values': {
      const texts = draft.values.split(/[,\n;]/).map((text) => text.trim());
      const values = texts.filter((text) => text !== '').map((text) => valueIn(text, parameter));
      return values.length === 0 ? 'empty' : { param, values };
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

function inOneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ');
}

/** A value as the head of a row or column, short enough to be read. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The stored file that a value names; its name is not known. */
export function fileIn(value: unknown): FileDraft[] {
  const isFile = typeof value === 'object' && value !== null && '$file' in value;
  return isFile ? [{ fileId: String(value.$file), filename: '' }] : [];
}
