import type { RecipeValue } from '@switchyard/contract/dispatch/recipe';

type Value = RecipeValue['value'];

/** Returns the typed text as a value of the same type as before; undefined when it is not such a value or unchanged. */
export function changedValue(before: Value, typed: string): Value | undefined {
  const value = readAs(before, typed);
  return value === before ? undefined : value;
}

function readAs(before: Value, typed: string): Value | undefined {
  if (typeof before === 'string') return typed;
  if (typeof before === 'boolean') return typed === 'true' ? true : typed === 'false' ? false : undefined;
  const number = Number(typed);
  return typed.trim() !== '' && Number.isFinite(number) ? number : undefined;
}
