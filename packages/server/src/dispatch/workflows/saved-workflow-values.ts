import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import type { Fault } from '@switchyard/contract/errors';
import { AppError } from '../../lib/app-error.ts';
import { hint } from './saved-workflow-parameters.ts';

/** Returns the values as the params of a task, or throws an error that names each wrong value and what it should be. */
export function taskParamsOf(
  parameters: readonly WorkflowParameter[],
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const faults: Fault[] = [];
  const params = new Map<string, unknown>();
  for (const [name, value] of Object.entries(values).slice(0, maxValues)) {
    const parameter = byName.get(name);
    const problem = parameter ? whyWrong(parameter, value) : null;
    if (!parameter) faults.push(fault(name, unknownName(name, parameters), 'unknown_param'));
    else if (problem !== null) faults.push(fault(name, problem, 'invalid_param'));
    else for (const key of targetsOf(parameter)) params.set(key, value);
  }
  faults.push(...missingValues(parameters, values));
  if (faults.length > 0) throw refusal(faults);
  return Object.fromEntries(params);
}

/** The params of a task, without the values that a run would refuse: for a form that is not filled in yet. */
export function rightParamsOf(
  parameters: readonly WorkflowParameter[],
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const right = parameters.filter(
    (parameter) =>
      Object.hasOwn(values, parameter.name) && whyWrong(parameter, values[parameter.name]) === null,
  );
  return Object.fromEntries(
    right.flatMap((parameter) => targetsOf(parameter).map((key) => [key, values[parameter.name]])),
  );
}

function missingValues(
  parameters: readonly WorkflowParameter[],
  values: Readonly<Record<string, unknown>>,
): Fault[] {
  const missing = parameters.filter(({ name, required }) => required && !Object.hasOwn(values, name));
  return missing.map(({ name, hidden }) => {
    const fix = hidden
      ? 'It is hidden: show it, or replace its placeholder in the graph.'
      : 'Give it a value.';
    return fault(name, `"${name}" has no value. ${fix}`, 'missing');
  });
}

function refusal(faults: Fault[]): AppError {
  const isOnlyUnknown = faults.every(({ type }) => type === 'unknown_param');
  return new AppError(isOnlyUnknown ? 'unknown_param' : 'invalid_param', {
    message: faults[0]?.message ?? '',
    faults: faults.slice(0, maxFaults),
  });
}

const maxValues = 1_001;
const maxFaults = 50;

function targetsOf({ placeholder, sets }: WorkflowParameter): string[] {
  return placeholder === null ? sets.map(({ node, input }) => `${node}.${input}`) : [placeholder];
}

function whyWrong(parameter: WorkflowParameter, value: unknown): string | null {
  const { name, hidden } = parameter;
  if (hidden) return `"${name}" is hidden and stays as it is. Show it in the workflow to set it.`;
  const wanted = expectation(parameter, value);
  return wanted === null ? null : `"${name}" must be ${wanted}, got ${shown(value)}.`;
}

/** Says what the value should be; null when it is right. */
function expectation(parameter: WorkflowParameter, value: unknown): string | null {
  const { type, choices } = parameter;
  if (type === 'choice')
    return choices?.some((choice) => choice === value) ? null : `one of ${list(parameter)}`;
  const { isIt, words } = kinds[type];
  if (!isIt(value)) return words;
  return typeof value === 'number' ? outOfRange(parameter, value) : null;
}

const isText = (value: unknown): boolean => typeof value === 'string';

const kinds: Record<
  Exclude<WorkflowParameter['type'], 'choice'>,
  { isIt: (value: unknown) => boolean; words: string }
> = {
  string: { isIt: isText, words: 'text' },
  // The pool knows better which models there are than a list that was saved earlier.
  model: { isIt: isText, words: 'text' },
  integer: { isIt: Number.isInteger, words: 'a whole number' },
  number: { isIt: (value) => typeof value === 'number', words: 'a number' },
  boolean: { isIt: (value) => typeof value === 'boolean', words: 'true or false' },
  file: { isIt: (value) => isText(value) || isFile(value), words: 'a file, as { "$file": "<fileId>" }' },
  any: {
    isIt: (value) => ['string', 'number', 'boolean'].includes(typeof value),
    words: 'text, a number, true or false',
  },
};

function outOfRange({ minimum, maximum }: WorkflowParameter, value: number): string | null {
  if (minimum !== null && value < minimum) return `at least ${minimum}`;
  return maximum !== null && value > maximum ? `at most ${maximum}` : null;
}

function list({ choices }: WorkflowParameter): string {
  const named = (choices ?? []).slice(0, 20).map((choice) => `"${choice}"`);
  return `${named.join(', ')}${(choices?.length ?? 0) > named.length ? ' …' : ''}`;
}

function isFile(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('$file' in value)) return false;
  return typeof value.$file === 'string' && Object.keys(value).length === 1;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 100);
}

function unknownName(name: string, parameters: readonly WorkflowParameter[]): string {
  const names = parameters.filter(({ hidden }) => !hidden).map((parameter) => parameter.name);
  const known = names.length === 0 ? ' It has none.' : ` It has ${names.slice(0, 20).join(', ')}.`;
  return `The workflow has no parameter "${name.slice(0, 200)}".${hint(name, names) || known}`;
}

function fault(name: string, message: string, type: string): Fault {
  return { in: 'body', path: ['params', name], message, type };
}
