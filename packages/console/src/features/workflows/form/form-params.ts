import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { type Draft, type FormDraft, isFileDraft } from './form-draft.ts';

/** Why a field cannot be sent. The words are those of the form. */
export type FieldProblem =
  | { code: 'required' }
  | { code: 'not_a_number' }
  | { code: 'not_whole' }
  | { code: 'too_low'; minimum: number }
  | { code: 'too_high'; maximum: number }
  | { code: 'not_a_choice' }
  /** The gateway refused the value; its own sentence says why. */
  | { code: 'refused'; message: string };

export interface FormParams {
  /** What a run sends: only what differs from the graph. */
  params: Record<string, unknown>;
  problems: Map<string, FieldProblem>;
}

export function paramsOf(parameters: readonly WorkflowParameter[], { values }: FormDraft): FormParams {
  const params: Record<string, unknown> = {};
  const problems = new Map<string, FieldProblem>();
  for (const parameter of parameters) {
    if (parameter.hidden) continue;
    const { name } = parameter;
    const read = readDraft(parameter, values[name] ?? '');
    if ('problem' in read) problems.set(name, read.problem);
    else if (parameter.required || read.value !== parameter.default) params[name] = read.value;
  }
  return { params, problems };
}

type Read = { value: unknown } | { problem: FieldProblem };

function readDraft(parameter: WorkflowParameter, draft: Draft): Read {
  const { type, required, choices } = parameter;
  if (isFileDraft(draft)) return { value: { $file: draft.fileId } };
  if (typeof draft === 'boolean') return { value: draft };
  const isNumber = type === 'integer' || type === 'number';
  const isEmpty = draft.trim() === '';
  if (isEmpty && (required || isNumber || type === 'file')) return { problem: { code: 'required' } };
  if (isNumber) return readNumber(parameter, draft);
  if (type === 'any') return { value: anyValue(draft) };
  if (type === 'choice' && choices && !choices.includes(draft)) return { problem: { code: 'not_a_choice' } };
  return { value: draft };
}

function readNumber({ type, minimum, maximum }: WorkflowParameter, draft: string): Read {
  const value = Number(draft);
  if (!Number.isFinite(value)) return { problem: { code: 'not_a_number' } };
  if (type === 'integer' && !Number.isInteger(value)) return { problem: { code: 'not_whole' } };
  if (minimum !== null && value < minimum) return { problem: { code: 'too_low', minimum } };
  if (maximum !== null && value > maximum) return { problem: { code: 'too_high', maximum } };
  return { value };
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
export function filesNotChosen(
  parameters: readonly WorkflowParameter[],
  { values }: FormDraft,
): { parameter: WorkflowParameter; file: string }[] {
  return parameters.flatMap((parameter) => {
    const draft = values[parameter.name] ?? '';
    const isOpen = parameter.type === 'file' && !parameter.hidden && !isFileDraft(draft);
    return isOpen ? [{ parameter, file: String(draft).trim() }] : [];
  });
}

interface ServerFault {
  /** The place in the request: `body.params.seed`. */
  path: string;
  message: string;
}

const paramPlace = 'body.params.';

/** The faults of a refused run at their fields; the rest belongs to the form as a whole. */
export function problemsOfFaults(
  faults: readonly ServerFault[],
  parameters: readonly WorkflowParameter[],
): { problems: Map<string, FieldProblem>; others: string[] } {
  const problems = new Map<string, FieldProblem>();
  const others: string[] = [];
  for (const { path, message } of faults) {
    const parameter = path.startsWith(paramPlace)
      ? parameterAt(path.slice(paramPlace.length), parameters)
      : undefined;
    if (parameter) problems.set(parameter.name, { code: 'refused', message });
    else others.push(message);
  }
  return { problems, others };
}

/** A fault names the parameter, or, when the task refused it, the input of the graph: `3.seed`. */
function parameterAt(key: string, parameters: readonly WorkflowParameter[]): WorkflowParameter | undefined {
  return (
    parameters.find(({ name }) => name === key) ??
    parameters.find(({ sets }) => sets.some(({ node, input }) => `${node}.${input}` === key)) ??
    parameters.find(({ placeholder }) => placeholder === key)
  );
}
