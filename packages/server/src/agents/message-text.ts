/** The content of a message: text, or blocks of which some are text. */
export type MessageContent = string | readonly unknown[] | null | undefined;

/** Returns the readable text of a message. */
export function textOf(content: MessageContent): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map(blockText)
    .filter((text) => text !== '')
    .join('\n');
}

function blockText(block: unknown): string {
  if (typeof block === 'string') return block;
  const text = (block as { type?: unknown; text?: unknown } | null)?.text;
  return typeof text === 'string' ? text : '';
}
