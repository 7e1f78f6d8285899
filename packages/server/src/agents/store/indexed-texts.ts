import { isRecord } from '@switchyard/contract/is-record';

export const indexLimits = {
  /** Texts of one item. */
  texts: 16,
  /** A longer text is cut: models take about 8,000 tokens. */
  textCharacters: 16_000,
};

/**
 * Returns the texts at these paths, such as `text`, `facts[*].about`, `names[0]`; `$` is the whole value as JSON.
 * `part` is the number of a text among those of one item.
 */
export function indexedTexts(
  value: Record<string, unknown>,
  fields: readonly string[],
): { texts: { part: number; text: string }[]; isTooMany: boolean } {
  const found = fields.flatMap((field) => (field === '$' ? [value] : valuesAt(value, stepsOf(field))));
  const texts = found.map(textOf).filter((text) => text !== '');
  return {
    texts: texts
      .slice(0, indexLimits.texts)
      .map((text, part) => ({ part, text: text.slice(0, indexLimits.textCharacters) })),
    isTooMany: texts.length > indexLimits.texts,
  };
}

function stepsOf(field: string): string[] {
  return field
    .replace(/^\$\./, '')
    .replace(/\[([^\]]*)\]/g, '.$1')
    .split('.')
    .filter((step) => step !== '');
}

function valuesAt(value: unknown, steps: readonly string[]): unknown[] {
  const [step, ...rest] = steps;
  if (step === undefined) return value === undefined || value === null ? [] : [value];
  if (Array.isArray(value)) {
    if (step === '*') return value.flatMap((each) => valuesAt(each, rest));
    const at = step === '-1' ? value.length - 1 : Number(step);
    return Number.isInteger(at) ? valuesAt(value[at], rest) : [];
  }
  if (!isRecord(value)) return [];
  if (step === '*') return Object.values(value).flatMap((each) => valuesAt(each, rest));
  return Object.hasOwn(value, step) ? valuesAt(value[step], rest) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : JSON.stringify(value);
}
