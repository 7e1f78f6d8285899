/**
 * Text that came from elsewhere, on one line: names, worker messages and the like may hold sequences that a terminal obeys,
 * and marks that turn the direction of what follows.
 */
export function plainText(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');
}

/** The same for text that has lines of its own. */
export function plainLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(plainText).join('\t'))
    .join('\n');
}
