import type { Sentence } from './sentence.ts';
import { sentenceTexts } from './sentence-texts.ts';

export type SentenceCode = keyof typeof sentenceTexts;

/** The words of a message: sentences of the gateway with quotes among them, or a text of somebody else. */
export type Wording = string | readonly Sentence[];

/** These slots hold sentences of their own, which stand before or behind the one that has the slot. */
type InnerSlot = 'said' | 'cause';
type SlotOf<Text extends string> = Text extends `${string}{${infer Slot}}${infer Rest}`
  ? (Slot extends `${string} ${string}` ? never : Slot) | SlotOf<Rest>
  : never;
type SlotOfCode<Code extends SentenceCode> = SlotOf<(typeof sentenceTexts)[Code]>;
type ValuesOf<Code extends SentenceCode> = [SlotOfCode<Code>] extends [never]
  ? []
  : [values: { [Slot in SlotOfCode<Code>]: Slot extends InnerSlot ? Wording : string | number }];

/** The sentence as a code with its values, between the sentences that it holds. */
export function say<Code extends SentenceCode>(code: Code, ...[given]: ValuesOf<Code>): Sentence[] {
  const { said = [], cause = [], ...own } = (given ?? {}) as Record<string, Wording | number>;
  const text = sentenceTexts[code];
  const inText = Object.entries(own).filter(([slot]) => text.includes(`{${slot}}`));
  const values = Object.fromEntries(inText.map(([slot, value]) => [slot, `${value}`]));
  return [...sentencesOf(said as Wording), { code, values }, ...sentencesOf(cause as Wording)];
}

/** Adds what stands in brackets behind the last sentence. */
export function withDetail(sentences: readonly Sentence[], detail: string): Sentence[] {
  return sentences.map((sentence, index) =>
    index < sentences.length - 1 ? sentence : { ...sentence, values: { ...sentence.values, detail } },
  );
}

/** Changes the names and numbers, and the content of quotes. */
export function inEach(sentences: readonly Sentence[], change: (text: string) => string): Sentence[] {
  return sentences.map(({ code, values }) => ({
    code,
    values: Object.fromEntries(Object.entries(values).map(([slot, value]) => [slot, change(value)])),
  }));
}

/** A text of somebody else becomes a quote. */
export function sentencesOf(wording: Wording): Sentence[] {
  if (typeof wording !== 'string') return [...wording];
  return wording === '' ? [] : [{ code: 'quote', values: { text: wording } }];
}

/** The English text. */
export function textOf(wording: Wording): string {
  if (typeof wording === 'string') return wording;
  let text = '';
  let isOpen = true;
  for (const { code, values } of wording) {
    const known = textOfCode(code);
    const detail = values.detail === undefined ? '' : ` (${values.detail})`;
    text += `${isOpen || known.startsWith('{said}') ? '' : ' '}${fill(known, values)}${detail}`;
    isOpen = known.endsWith('{cause}');
  }
  return text;
}

function textOfCode(code: string): string {
  return code === 'quote' ? '{text}' : ((sentenceTexts as Record<string, string>)[code] ?? '');
}

function fill(text: string, values: Partial<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (_, slot: string) => values[slot] ?? '');
}
