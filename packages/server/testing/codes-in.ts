import { readSentences } from '@switchyard/contract/sentences/read-sentences';

/** The codes of what an error says that is thrown; `quote` is what clients have no words for. */
export function codesIn(refused: () => unknown): string[] {
  try {
    refused();
  } catch (error) {
    return readSentences((error as Error).message).map(({ code }) => code);
  }
  throw new Error('nothing was thrown');
}
