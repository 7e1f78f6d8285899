import { isRecord } from '@switchyard/contract/is-record';
import type { WorkerCapabilities } from '../worker-client.ts';
import { isModelFile } from './model-file.ts';
import { readNodeInputs } from './node-inputs.ts';

const maxClasses = 50_000;
const maxModelsPerInput = 20_000;

/**
 * Reads from `/object_info` what a worker can run: classes, which of them are outputs, and the model files on offer.
 */
export function readObjectInfo(
  info: Record<string, { input?: unknown; output_node?: boolean }>,
): Omit<WorkerCapabilities, 'told'> {
  // No graph can name a class with a NUL, and no Postgres column can hold it.
  const classes = Object.entries(info)
    .filter(([name]) => !name.includes('\0'))
    .slice(0, maxClasses);
  const models: Record<string, string[]> = {};
  for (const [name, { input }] of classes) {
    for (const [inputName, choices] of modelChoices(input)) models[`${name}.${inputName}`] = choices;
  }
  return {
    nodeClasses: classes.map(([name]) => name).sort(),
    outputClasses: classes
      .filter(([, { output_node }]) => output_node === true)
      .map(([name]) => name)
      .sort(),
    models,
    inputs: readNodeInputs(classes),
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
