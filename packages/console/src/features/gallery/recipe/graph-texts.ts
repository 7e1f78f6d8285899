import { recipeValues } from './recipe-values.ts';

const maxTexts = 6;
/** Shorter texts are names of samplers and files. */
const minLength = 12;

/** The prompts of a graph with its params in it: the texts that a person has written, the longest first. */
export function graphTexts(
  workflow: Readonly<Record<string, unknown>>,
  params: Readonly<Record<string, unknown>>,
): { key: string; title: string; value: string }[] {
  return recipeValues(workflow, params)
    .flatMap(({ key, title, input, value }) => {
      const text = typeof value === 'string' ? filled(value, params) : '';
      return isProse(input, text) ? [{ key, title, value: text }] : [];
    })
    .sort((a, b) => b.value.length - a.value.length)
    .slice(0, maxTexts);
}

function isProse(input: string, text: string): boolean {
  if (text.trim() === '') return false;
  if (/^(text|prompt|positive|negative|caption)/i.test(input)) return true;
  return text.length >= minLength && /\s/.test(text.trim());
}

function filled(text: string, params: Readonly<Record<string, unknown>>): string {
  return text.replace(/\{\{([^{}]{1,200})\}\}/g, (whole, name: string) => {
    const given = params[name.trim()];
    return given === undefined ? whole : String(given);
  });
}
