import { isRecord } from '@switchyard/contract/is-record';
import type { NodeInput, WorkerCapabilities } from '../worker-client.ts';
import { isModelFile } from './model-file.ts';

const limits = { inputsPerClass: 500, choices: 2_000, choiceLength: 300, descriptionLength: 500 } as const;

/**
 * Returns the values that the inputs of each class take, from `/object_info`; inputs that only take links are left out.
 */
export function readNodeInputs(
  classes: readonly (readonly [name: string, { input?: unknown }])[],
): WorkerCapabilities['inputs'] {
  const inputs: WorkerCapabilities['inputs'] = Object.create(null);
  for (const [name, { input }] of classes) {
    const read = inputsOf(input);
    if (Object.keys(read).length > 0) inputs[name] = read;
  }
  return inputs;
}

function inputsOf(input: unknown): Record<string, NodeInput> {
  const read: Record<string, NodeInput> = Object.create(null);
  if (!isRecord(input)) return read;
  for (const group of [input.required, input.optional]) {
    if (!isRecord(group)) continue;
    for (const [name, specification] of Object.entries(group).slice(0, limits.inputsPerClass)) {
      const taken = inputOf(specification);
      if (taken) read[name] = taken;
    }
  }
  return read;
}

/** Reads `[type, options]`; a list of choices may stand in place of the type. */
function inputOf(specification: unknown): NodeInput | null {
  if (!Array.isArray(specification)) return null;
  const [type, given] = specification as unknown[];
  const options = isRecord(given) ? given : {};
  const { tooltip } = options;
  const described =
    typeof tooltip === 'string' && tooltip !== ''
      ? { description: tooltip.slice(0, limits.descriptionLength) }
      : {};
  if (Array.isArray(type)) return { ...choiceOf(type, options), ...described };
  switch (type) {
    case 'COMBO':
      return { ...choiceOf(Array.isArray(options.options) ? options.options : [], options), ...described };
    case 'INT':
      return { type: 'integer', ...rangeOf(options), ...described };
    case 'FLOAT':
      return { type: 'number', ...rangeOf(options), ...described };
    case 'BOOLEAN':
      return { type: 'boolean', ...described };
    case 'STRING':
      return { type: 'string', ...(options.multiline === true && { multiline: true }), ...described };
    default:
      return null;
  }
}

function choiceOf(given: readonly unknown[], options: Record<string, unknown>): NodeInput {
  if (options.image_upload === true || options.video_upload === true || options.audio_upload === true) {
    return { type: 'file' };
  }
  const choices = given.filter(
    (choice): choice is string => typeof choice === 'string' && choice.length <= limits.choiceLength,
  );
  const isCut = choices.length !== given.length || choices.length > limits.choices;
  if (choices.some(isModelFile)) return { type: 'model', choices: choices.slice(0, limits.choices) };
  // A list that is empty or incomplete must not refuse any value.
  return isCut || choices.length === 0 ? { type: 'string' } : { type: 'choice', choices };
}

/** A number too large for JSON to hold exactly, such as the largest seed, is not a bound that could be checked. */
function rangeOf({
  min,
  max,
  step,
}: Record<string, unknown>): Pick<NodeInput, 'minimum' | 'maximum' | 'step'> {
  return {
    ...(isExact(min) && { minimum: min }),
    ...(isExact(max) && { maximum: max }),
    ...(isExact(step) && step > 0 && { step }),
  };
}

function isExact(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}
