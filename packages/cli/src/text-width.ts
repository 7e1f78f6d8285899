/** East Asian characters and emoji, which terminals draw two columns wide. */
const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u;
/** Characters that are drawn over their neighbour, or not at all. */
const invisible = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const plainAscii = /^[ -~]*$/;

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The number of terminal columns that a text takes. */
export function widthOf(text: string): number {
  if (plainAscii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of letters.segment(text)) width += widthOfLetter(segment);
  return width;
}

/** Returns the text, or as much of it as fits with an ellipsis. No character is cut in half. */
export function cutToWidth(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return '';
  let kept = '';
  let used = 0;
  for (const { segment } of letters.segment(text)) {
    used += widthOfLetter(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

export function padToWidth(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

function widthOfLetter(letter: string): number {
  if (wide.test(letter)) return 2;
  return invisible.test(letter) ? 0 : 1;
}
