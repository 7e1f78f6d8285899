import type { FileRecipe } from '@switchyard/contract/dispatch/recipe';
import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { isRecord } from '@switchyard/contract/is-record';
import { type Draft, type FormDraft, isFileDraft } from '../../../kit/fields/field-draft.ts';

/** The parts of a recipe that say which values a task had. */
export type RecipeOfValues = Pick<FileRecipe, 'workflow' | 'params' | 'inputs'>;

export interface HandedValues {
  values: Record<string, Draft>;
  /** The fields whose file has been deleted since. */
  lostFields: WorkflowParameter[];
}

/** Returns the values that made a file, for the fields of a form. A field that the recipe does not know is left out. */
export function handedValues(parameters: readonly WorkflowParameter[], recipe: RecipeOfValues): HandedValues {
  const values: Record<string, Draft> = {};
  const lostFields: WorkflowParameter[] = [];
  for (const parameter of parameters) {
    if (parameter.hidden) continue;
    const value = valueIn(recipe, parameter);
    const draft = draftOfValue(value, recipe);
    if (draft === 'lost') lostFields.push(parameter);
    else if (draft !== undefined) values[parameter.name] = draft;
  }
  return { values, lostFields };
}

/** A task has its values by the name of the parameter, by placeholder or by node and input; the rest stands in its graph. */
function valueIn(
  { params, workflow }: RecipeOfValues,
  { name, placeholder, sets }: WorkflowParameter,
): unknown {
  const given = params ?? {};
  const keys = [
    name,
    ...(placeholder === null ? [] : [placeholder]),
    ...sets.map(({ node, input }) => `${node}.${input}`),
  ];
  const key = keys.find((each) => Object.hasOwn(given, each));
  if (key !== undefined) return given[key];
  const [first] = sets;
  const node = first && workflow?.[first.node];
  // A placeholder in the graph is the place of a value, not one.
  if (!isRecord(node) || !isRecord(node.inputs) || placeholder !== null) return undefined;
  return node.inputs[first?.input ?? ''];
}

function draftOfValue(value: unknown, { inputs }: RecipeOfValues): Draft | 'lost' | undefined {
  if (typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (!isRecord(value) || typeof value.$file !== 'string') return undefined;
  const input = inputs.find(({ fileId }) => fileId === value.$file);
  if (!input || input.presentFileId === null) return 'lost';
  return { fileId: input.presentFileId, filename: input.filename };
}

/** Returns the field that takes a file which is handed over: the named one, the first without a file, or the first. */
export function fieldForFile(
  parameters: readonly WorkflowParameter[],
  { values }: FormDraft,
  named: string | null,
): WorkflowParameter | undefined {
  const fields = parameters.filter(({ type, hidden }) => type === 'file' && !hidden);
  const empty = fields.find(({ name }) => !isFileDraft(values[name]));
  return fields.find(({ name }) => name === named) ?? empty ?? fields[0];
}
