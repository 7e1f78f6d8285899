import type { Sentence } from './sentence.ts';
import { sentenceTexts } from './sentence-texts.ts';

export type SentenceCode = keyof typeof sentenceTexts;

type SlotOf<Text extends string> = Text extends `${string}{${infer Slot}}${infer Rest}`
  ? (Slot extends `${string} ${string}` ? never : Slot) | SlotOf<Rest>
  : never;
type SlotOfCode<Code extends SentenceCode> = SlotOf<(typeof sentenceTexts)[Code]>;
type ValuesOf<Code extends SentenceCode> = [SlotOfCode<Code>] extends [never]
  ? []
  : [values: Record<SlotOfCode<Code>, string | number>];

/** The sentence as text. */
export function say<Code extends SentenceCode>(code: Code, ...[values]: ValuesOf<Code>): string {
  return fill(sentenceTexts[code], values ?? {});
}

/** The sentence as a code with its values. */
export function sentenceOf<Code extends SentenceCode>(code: Code, ...[values]: ValuesOf<Code>): Sentence {
  const texts = Object.entries<string | number>(values ?? {}).map(([slot, value]) => [slot, `${value}`]);
  return { code, values: Object.fromEntries(texts) as Record<string, string> };
}

/** The text that sentences make one after the other. */
export function textOf(sentences: readonly Sentence[]): string {
  return sentences.map(({ code, values }) => fill(sentenceTexts[code as SentenceCode], values)).join(' ');
}

function fill(text: string, values: Partial<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_, slot: string) => `${values[slot] ?? ''}`);
}
