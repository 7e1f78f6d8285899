import { WordedError } from '../src/lib/app-error.ts';

/** The codes of what an error says that is thrown; `quote` is what clients have no words for. */
export function codesIn(refused: () => unknown): string[] {
  try {
    refused();
  } catch (error) {
    if (error instanceof WordedError) return error.sentences.map(({ code }) => code);
    throw error;
  }
  throw new Error('nothing was thrown');
}
