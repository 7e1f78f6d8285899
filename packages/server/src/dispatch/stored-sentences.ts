import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { sentencesBeside, sentencesOf, type Wording } from '@switchyard/contract/sentences/sentences';

/** Returns the column that holds the codes of a text. */
export function sentencesColumn(wording: Wording | null): string | null {
  return wording === null ? null : JSON.stringify(sentencesOf(wording));
}

/** Returns the codes of a text from the column beside it. */
export function storedSentences(text: string | null, column: string | null): Sentence[] {
  return sentencesBeside(text ?? '', column === null ? null : (JSON.parse(column) as Sentence[]));
}
