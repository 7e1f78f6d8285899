import { isRecord } from '@switchyard/contract/is-record';
import { forEachMember } from '../../../lib/async/json-members.ts';
import type { WorkerCapabilities } from '../worker-client.ts';
import { callFailure } from './call-failure.ts';
import { isModelFile } from './model-file.ts';
import { readNodeInputs } from './node-inputs.ts';
import { nodeClass } from './wire.ts';

const maxClasses = 50_000;
const maxModelsPerInput = 20_000;

/**
 * Reads from the answer to `/object_info` what a worker can run: classes, which of them are outputs, and the model files on offer.
 */
export async function readObjectInfo(
  body: Buffer,
  label: string,
): Promise<Omit<WorkerCapabilities, 'told'> & { text: string }> {
  const text = body.toString('utf8');
  const nodeClasses = new Set<string>();
  const outputClasses = new Set<string>();
  const models: Record<string, string[]> = {};
  const inputs: WorkerCapabilities['inputs'] = Object.create(null);
  const add = (name: string, definition: unknown): void => {
    if (!nodeClass.Check(definition)) throw callFailure('bad_answer', label, { detail: 'unexpected shape' });
    // No graph can name a class with a NUL, and no Postgres column can hold it.
    if (name.includes('\0') || nodeClasses.size >= maxClasses) return;
    nodeClasses.add(name);
    if (definition.output_node === true) outputClasses.add(name);
    for (const [inputName, choices] of modelChoices(definition.input))
      models[`${name}.${inputName}`] = choices;
    Object.assign(inputs, readNodeInputs([[name, definition]]));
  };
  try {
    await forEachMember(text, add);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw callFailure('not_comfyui', label, { detail: 'no JSON', cause });
  }
  return {
    nodeClasses: [...nodeClasses].sort(),
    outputClasses: [...outputClasses].sort(),
    models,
    inputs,
    text,
  };
}

/** Inputs with a list of choices that contains a model file, or with an empty list: nothing is installed yet. */
function* modelChoices(input: unknown): Generator<[name: string, choices: string[]]> {
  if (!isRecord(input)) return;
  for (const group of [input.required, input.optional]) {
    if (!isRecord(group)) continue;
    for (const [name, specification] of Object.entries(group)) {
      const choices = choicesOf(specification);
      if (!choices) continue;
      const models = choices.filter(
        (choice): choice is string => typeof choice === 'string' && isModelFile(choice),
      );
      if (models.length > 0 || choices.length === 0) yield [name, models.slice(0, maxModelsPerInput)];
    }
  }
}

/** Reads `[[choices], options]`, and since 2025 also `["COMBO", { options: [choices] }]`. */
function choicesOf(specification: unknown): unknown[] | null {
  if (!Array.isArray(specification)) return null;
  const [type, options] = specification as unknown[];
  if (Array.isArray(type)) return type;
  const isCombo = type === 'COMBO' && isRecord(options) && Array.isArray(options.options);
  return isCombo ? (options.options as unknown[]) : null;
}
