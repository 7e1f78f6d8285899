import type { FieldSpec } from './field-spec.ts';
import { isSeed } from './seed.ts';

/** How a parameter is entered. */
export type FormControl =
  | 'text'
  | 'long-text'
  | 'number'
  | 'slider'
  | 'seed'
  | 'switch'
  | 'select'
  | 'file'
  | 'any'
  | 'json';

/** A slider with more steps cannot be set exactly with a pointer. */
const maxSliderSteps = 1_000;

export function controlOf(parameter: FieldSpec): FormControl {
  const { type, choices, multiline } = parameter;
  if (isSeed(parameter)) return 'seed';
  switch (type) {
    case 'boolean':
      return 'switch';
    case 'file':
      return 'file';
    case 'choice':
      return 'select';
    case 'model':
      // The list of an earlier day is a help, not a limit; without it the name is typed.
      return choices && choices.length > 0 ? 'select' : 'text';
    case 'integer':
    case 'number':
      return stepsOf(parameter) === null ? 'number' : 'slider';
    case 'string':
      return multiline ? 'long-text' : 'text';
    case 'json':
      return 'json';
    case 'value':
      return 'long-text';
    default:
      return 'any';
  }
}

/** The distance between two values of a slider. */
export function stepOf({ type, step }: FieldSpec): number | null {
  if (step !== undefined && step !== null && step > 0) return step;
  return type === 'integer' ? 1 : null;
}

function stepsOf(parameter: FieldSpec): number | null {
  const { minimum, maximum } = parameter;
  const step = stepOf(parameter);
  if (minimum === null || maximum === null || step === null) return null;
  const steps = (maximum - minimum) / step;
  return steps > 0 && steps <= maxSliderSteps ? steps : null;
}
