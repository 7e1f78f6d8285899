import { type Draft, type FormDraft, isFileDraft } from './field-draft.ts';
import type { FieldSpec } from './field-spec.ts';

/** Why a field cannot be sent. The words are those of the form. */
export type FieldProblem =
  | { code: 'required' }
  | { code: 'not_a_number' }
  | { code: 'not_whole' }
  | { code: 'too_low'; minimum: number }
  | { code: 'too_high'; maximum: number }
  | { code: 'not_a_choice' }
  | { code: 'not_json' }
  /** The gateway refused the value; its own sentence has the reason. */
  | { code: 'refused'; message: string };

export interface FormParams {
  /** The values that a run sends: those that differ from the graph, and those that have no other place. */
  params: Record<string, unknown>;
  problems: Map<string, FieldProblem>;
}

export function paramsOf(parameters: readonly FieldSpec[], { values }: FormDraft): FormParams {
  const params: Record<string, unknown> = {};
  const problems = new Map<string, FieldProblem>();
  for (const parameter of parameters) {
    if (parameter.hidden) continue;
    const { name } = parameter;
    const entered = values[name] ?? '';
    if (parameter.optional && isEmpty(entered)) continue;
    const read = readDraft(parameter, entered);
    if ('problem' in read) problems.set(name, read.problem);
    else if (parameter.required || parameter.optional || read.value !== parameter.default)
      params[name] = read.value;
  }
  return { params, problems };
}

type Read = { value: unknown } | { problem: FieldProblem };

function readDraft(parameter: FieldSpec, draft: Draft): Read {
  const { type, required, choices } = parameter;
  if (isFileDraft(draft)) return { value: { $file: draft.fileId } };
  if (typeof draft === 'boolean') return { value: draft };
  const isNumber = type === 'integer' || type === 'number';
  const needsValue = required || isNumber || type === 'file' || type === 'json';
  if (needsValue && isEmpty(draft)) return { problem: { code: 'required' } };
  if (isNumber) return readNumber(parameter, draft);
  if (type === 'json') return readJson(draft);
  if (type === 'value') return 'value' in readJson(draft) ? readJson(draft) : { value: draft };
  if (type === 'any') return { value: anyValue(draft) };
  if (type === 'choice' && choices && !choices.includes(draft)) return { problem: { code: 'not_a_choice' } };
  return { value: draft };
}

function readNumber({ type, minimum, maximum }: FieldSpec, draft: string): Read {
  const value = Number(draft);
  if (!Number.isFinite(value)) return { problem: { code: 'not_a_number' } };
  if (type === 'integer' && !Number.isInteger(value)) return { problem: { code: 'not_whole' } };
  if (minimum !== null && value < minimum) return { problem: { code: 'too_low', minimum } };
  if (maximum !== null && value > maximum) return { problem: { code: 'too_high', maximum } };
  return { value };
}

function readJson(draft: string): Read {
  try {
    return { value: JSON.parse(draft) };
  } catch {
    return { problem: { code: 'not_json' } };
  }
}

function isEmpty(draft: Draft): boolean {
  return typeof draft === 'string' && draft.trim() === '';
}

/** A placeholder of an unknown type takes a number, true, false or a text, as the command line does. */
function anyValue(draft: string): unknown {
  if (/^-?\d+(\.\d+)?$/.test(draft)) return Number(draft);
  return draft === 'true' || draft === 'false' ? draft === 'true' : draft;
}

/**
 * The file parameters for which no file is chosen. A name that came with the graph is a file of the machine where the
 * graph was made, which workers seldom have.
 */
export function filesNotChosen<Spec extends FieldSpec>(
  parameters: readonly Spec[],
  { values }: FormDraft,
): { parameter: Spec; file: string }[] {
  return parameters.flatMap((parameter) => {
    const draft = values[parameter.name] ?? '';
    const isOpen = parameter.type === 'file' && !parameter.hidden && !isFileDraft(draft);
    return isOpen ? [{ parameter, file: String(draft).trim() }] : [];
  });
}
