import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { sentencesOf, textOf, type Wording } from '@switchyard/contract/sentences/sentences';

/** The codes of a text that stands in another column. */
interface Stored {
  /** A replica of an earlier version changes the other column alone: these codes count while both texts are the same. */
  text: string;
  sentences: Sentence[];
}

/** Returns the column for the codes of a text. Its words may be those of an earlier version. */
export function sentencesColumn(wording: Wording | null, text = textOf(wording ?? '')): string | null {
  return wording && JSON.stringify({ text, sentences: sentencesOf(wording) } satisfies Stored);
}

/** Returns the codes of a text from the column beside it; null when they are not there. */
export function codesBeside(text: string, column: string | null): Sentence[] | null {
  const stored = column === null ? null : (JSON.parse(column) as Stored);
  return stored?.text === text ? stored.sentences : null;
}

export function storedSentences(text: string | null, column: string | null): Sentence[] {
  return text === null ? [] : (codesBeside(text, column) ?? sentencesOf(text));
}
