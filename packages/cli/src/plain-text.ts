/**
 * Text that came from elsewhere, on one line: names and worker messages may contain control sequences of a terminal,
 * and marks that change the direction of the text after them.
 */
export function plainText(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');
}

/** The same for text with several lines. */
export function plainLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(plainText).join('\t'))
    .join('\n');
}
