import { isRecord } from '@switchyard/contract/is-record';
/** One plain value of a recipe that can be given otherwise. */
export interface RecipeValue {
  /** `3.steps`: the name under which the params of a task set it. */
  key: string;
  title: string;
  input: string;
  value: string | number | boolean;
}

/** Every plain input of the graph with the params of the task in it. Links, files and placeholders are left out. */
export function recipeValues(
  workflow: Readonly<Record<string, unknown>>,
  params: Readonly<Record<string, unknown>>,
): RecipeValue[] {
  const values: RecipeValue[] = [];
  for (const [id, node] of Object.entries(workflow)) {
    if (!isRecord(node) || !isRecord(node.inputs)) continue;
    const title =
      isRecord(node._meta) && typeof node._meta.title === 'string' ? node._meta.title : node.class_type;
    for (const [input, own] of Object.entries(node.inputs)) {
      const key = `${id}.${input}`;
      const value = params[key] ?? own;
      if (isPlain(value)) values.push({ key, title: String(title), input, value });
    }
  }
  return values;
}

/** Returns the typed text as a value of the same type as before; undefined when it is not such a value or unchanged. */
export function changedValue(before: RecipeValue['value'], typed: string): RecipeValue['value'] | undefined {
  const value = readAs(before, typed);
  return value === before ? undefined : value;
}

function readAs(before: RecipeValue['value'], typed: string): RecipeValue['value'] | undefined {
  if (typeof before === 'string') return typed;
  if (typeof before === 'boolean') return typed === 'true' ? true : typed === 'false' ? false : undefined;
  const number = Number(typed);
  return typed.trim() !== '' && Number.isFinite(number) ? number : undefined;
}

function isPlain(value: unknown): value is RecipeValue['value'] {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
