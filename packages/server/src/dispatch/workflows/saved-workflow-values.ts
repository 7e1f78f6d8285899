import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import type { Fault } from '@switchyard/contract/errors';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { shownValue } from '../graphs/shown-value.ts';
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
  return missing.map(({ name, hidden }) =>
    fault(name, say(hidden ? 'parameter_hidden_empty' : 'parameter_empty', { name }), 'missing'),
  );
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

/** Returns why a run would refuse the value; null when it would not. */
export function whyWrong(parameter: WorkflowParameter, value: unknown): Wording | null {
  const { name, hidden } = parameter;
  if (hidden) return say('parameter_hidden', { name });
  const { type, choices } = parameter;
  const given = shownValue(value);
  if (type === 'choice') {
    const isListed = choices?.some((choice) => choice === value);
    return isListed ? null : say('parameter_not_listed', { name, names: list(parameter), given });
  }
  const { isIt, otherwise } = kinds[type];
  if (!isIt(value)) return say(otherwise, { name, given });
  return typeof value === 'number' ? outOfRange(parameter, value) : null;
}

const isText = (value: unknown): boolean => typeof value === 'string';

const kinds: Record<
  Exclude<WorkflowParameter['type'], 'choice'>,
  {
    isIt: (value: unknown) => boolean;
    otherwise: `parameter_no_${'text' | 'integer' | 'number' | 'boolean' | 'file' | 'value'}`;
  }
> = {
  string: { isIt: isText, otherwise: 'parameter_no_text' },
  // The pool knows better which models there are than a list that was saved earlier.
  model: { isIt: isText, otherwise: 'parameter_no_text' },
  integer: { isIt: Number.isInteger, otherwise: 'parameter_no_integer' },
  number: { isIt: (value) => typeof value === 'number', otherwise: 'parameter_no_number' },
  boolean: { isIt: (value) => typeof value === 'boolean', otherwise: 'parameter_no_boolean' },
  file: { isIt: (value) => isText(value) || isFile(value), otherwise: 'parameter_no_file' },
  any: {
    isIt: (value) => ['string', 'number', 'boolean'].includes(typeof value),
    otherwise: 'parameter_no_value',
  },
};

function outOfRange({ name, minimum, maximum }: WorkflowParameter, value: number): Wording | null {
  const given = shownValue(value);
  if (minimum !== null && value < minimum) return say('parameter_below', { name, limit: minimum, given });
  return maximum !== null && value > maximum ? say('parameter_above', { name, limit: maximum, given }) : null;
}

function list({ choices }: WorkflowParameter): string {
  const named = (choices ?? []).slice(0, 20).map((choice) => `"${choice}"`);
  return `${named.join(', ')}${(choices?.length ?? 0) > named.length ? ' …' : ''}`;
}

function isFile(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('$file' in value)) return false;
  return typeof value.$file === 'string' && Object.keys(value).length === 1;
}

function unknownName(name: string, parameters: readonly WorkflowParameter[]): string {
  const names = parameters.filter(({ hidden }) => !hidden).map((parameter) => parameter.name);
  const known = names.length === 0 ? ' It has none.' : ` It has ${names.slice(0, 20).join(', ')}.`;
  return `The workflow has no parameter "${name.slice(0, 200)}".${hint(name, names) || known}`;
}

function fault(name: string, message: Wording, type: string): Fault {
  return { in: 'body', path: ['params', name], message, type };
}
