/** A longer text is cut until the reader asks for the rest. */
const maxShown = 50_000;

export function cutText(text: string): { shown: string; isCut: boolean } {
  if (text.length <= maxShown) return { shown: text, isCut: false };
  const end = text.lastIndexOf('\n', maxShown);
  return { shown: text.slice(0, end > maxShown / 2 ? end : maxShown), isCut: true };
}

const fence = /^ {0,3}(`{3,}|~{3,})/;
/** Names for links and footnotes, which count everywhere in the text. */
const definition = /^ {0,3}\[[^\]]+\]:/m;
/** Lines that continue a block after a blank line: the next item of a list, and text that belongs to an item. */
const continues = /^(\s{2,}|\t|[-*+]\s|\d+[.)]\s)/;

/** Splits a text at blank lines that end a block, so that a block whose end was streamed is not read again. */
export function markdownBlocks(text: string): string[] {
  if (definition.test(text)) return [text];
  const blocks: string[] = [];
  let block: string[] = [];
  let open: string | null = null;
  let isAfterBlank = false;
  for (const line of text.split('\n')) {
    const isBlank = line.trim() === '';
    if (open === null && isAfterBlank && !isBlank && block.length > 0 && !continues.test(line)) {
      blocks.push(block.join('\n'));
      block = [];
    }
    const [, mark] = fence.exec(line) ?? [];
    if (mark && open === null) open = mark;
    else if (mark && open !== null && mark.startsWith(open)) open = null;
    block.push(line);
    isAfterBlank = isBlank;
  }
  blocks.push(block.join('\n'));
  return blocks.filter((one) => one.trim() !== '');
}
