/** What Telegram takes in one message, in UTF-16 units. */
const longestMessage = 4_096;

/**
 * Cuts a text into messages: between paragraphs, else lines, sentences or words, and only a text without any of them
 * anywhere; never within a character.
 */
export function splitText(text: string, most: number = longestMessage): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > most) {
    const at = cutOf(rest, most);
    parts.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  return rest === '' && parts.length > 0 ? parts : [...parts, rest];
}

const borders = ['\n\n', '\n', '. ', ' '];

function cutOf(text: string, most: number): number {
  const head = text.slice(0, most);
  for (const border of borders) {
    const at = head.lastIndexOf(border);
    // A first part of a few words is worse than a cut in a worse place.
    if (at >= most / 3) return at + border.length;
  }
  const last = head.charCodeAt(most - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return isHalf ? most - 1 : most;
}
