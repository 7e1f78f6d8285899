/** The limit of a message on Telegram, in UTF-16 units. */
const maxMessageLength = 4_096;

/**
 * Cuts a text into messages, between paragraphs, else between lines, sentences or words. A text without any of them is cut
 * anywhere, but never within a character.
 */
export function splitText(text: string, max: number = maxMessageLength): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > max) {
    const at = cutOf(rest, max);
    parts.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  return rest === '' && parts.length > 0 ? parts : [...parts, rest];
}

const borders = ['\n\n', '\n', '. ', ' '];

function cutOf(text: string, max: number): number {
  const head = text.slice(0, max);
  for (const border of borders) {
    const at = head.lastIndexOf(border);
    // A first part of only a few words is worse than a cut at a weaker border.
    if (at >= max / 3) return at + border.length;
  }
  const last = head.charCodeAt(max - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return isHalf ? max - 1 : max;
}
