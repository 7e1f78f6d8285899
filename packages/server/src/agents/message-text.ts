/** The content of a message: text, or blocks of which some are text. */
export type MessageContent = string | readonly unknown[] | null | undefined;

/** Returns the readable text of a message. */
export function messageText(content: MessageContent): string {
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

/** The answer of a model without its thoughts. Thoughts that were cut off go to the end of the answer. */
export function withoutThoughts(answer: string): string {
  return answer.replace(/<think(ing)?>[\s\S]*?(<\/think(ing)?>|$)/g, '').trim();
}

const maxTitleLength = 50;

/** The title of a thread for which no model has written one: its question, cut after fifty characters. */
export function titleOfQuestion(question: string): string {
  const title = cutTitle(question);
  return title === '' ? 'New Conversation' : title;
}

export function cutTitle(text: string): string {
  const characters = [...text.trim().replace(/\s+/g, ' ')];
  if (characters.length <= maxTitleLength) return characters.join('');
  return `${characters.slice(0, maxTitleLength).join('').trimEnd()}...`;
}

const charactersPerToken = 4;

/** An estimate, as good as possible without the model's own tokeniser. */
export function estimatedTokens(messages: Iterable<{ text: string; calls: readonly unknown[] }>): number {
  let characters = 0;
  for (const { text, calls } of messages) {
    characters += text.length + (calls.length > 0 ? JSON.stringify(calls).length : 0);
  }
  return Math.ceil(characters / charactersPerToken);
}

/** Returns how long a text of so many tokens is. */
export function charactersIn(tokens: number): number {
  return tokens * charactersPerToken;
}
