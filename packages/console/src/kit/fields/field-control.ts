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
/** A slider of a wide range ends at this many times the value of the graph; larger values are typed. */
const farTimes = 4;

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
      return sliderOf(parameter) === null ? 'number' : 'slider';
    case 'string':
      return multiline || isPrompt(parameter) ? 'long-text' : 'text';
    case 'json':
      return 'json';
    case 'value':
      return 'long-text';
    default:
      return 'any';
  }
}

/** The distance between two values of a slider. */
function stepOf({ type, step }: FieldSpec): number | null {
  if (step !== undefined && step !== null && step > 0) return step;
  return type === 'integer' ? 1 : null;
}

/**
 * The ends of a slider; null where one would be of no use. What people turn up and down has one in any range that a worker
 * names: of steps from 1 to 10,000 the slider has the near ones.
 */
export function sliderOf(parameter: FieldSpec): { minimum: number; maximum: number; step: number } | null {
  const { minimum, maximum, default: value } = parameter;
  const step = stepOf(parameter);
  if (minimum === null || maximum === null || step === null || maximum <= minimum) return null;
  if ((maximum - minimum) / step <= maxSliderSteps) return { minimum, maximum, step };
  if (!isStrength(parameter) || typeof value !== 'number' || value <= minimum) return null;
  const near = minimum + Math.ceil(((value - minimum) * farTimes) / step) * step;
  return { minimum, maximum: Math.min(maximum, near, minimum + step * maxSliderSteps), step };
}

/** True for the numbers that say how long or how strongly a model works. */
export function isStrength({ type, sets }: Pick<FieldSpec, 'type' | 'sets'>): boolean {
  const input = sets?.[0]?.input ?? '';
  const isNumber = type === 'integer' || type === 'number';
  return isNumber && /^(steps|cfg|guidance|denoise|shift|(.*_)?(strength|scale))$/i.test(input);
}

/** True for a text that a person writes for a model. */
export function isPrompt({ type, multiline, sets }: Pick<FieldSpec, 'type' | 'multiline' | 'sets'>): boolean {
  const input = sets?.[0]?.input ?? '';
  return type === 'string' && (multiline || /^(text|prompt|positive|negative|caption)/i.test(input));
}
