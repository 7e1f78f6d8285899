import type { RecipeValue } from '@switchyard/contract/dispatch/recipe';

const maxPrompts = 6;
/** Shorter texts are names of samplers and files. */
const minLength = 12;

type Prompt = RecipeValue & { value: string };

/** The texts among the values that a person has written, in the order of the form. */
export function promptsIn(values: readonly RecipeValue[]): Prompt[] {
  return values.filter(isPrompt).slice(0, maxPrompts);
}

function isPrompt(entry: RecipeValue): entry is Prompt {
  const { input, value } = entry;
  if (typeof value !== 'string' || value.trim() === '') return false;
  if (/^(text|prompt|positive|negative|caption)/i.test(input ?? '')) return true;
  if (/(name|prefix|path)$/i.test(input ?? '')) return false;
  return value.length >= minLength && /\s/.test(value.trim());
}
