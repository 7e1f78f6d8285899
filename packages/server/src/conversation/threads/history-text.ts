import type { ThreadState } from '@switchyard/contract/conversation/thread';

interface HistoryTextOptions {
  /** The list ends behind the entry with which it has become longer than this. */
  mostCharacters: number;
  /** Awaited after each piece of the list, so that others are served. */
  betweenPieces: () => Promise<void>;
}

/** Entries between two pauses. */
const entriesInPiece = 20;

/**
 * The JSON of a history. Its states hold mostly the same elements, as messages: each is written once and put in wherever it
 * stands, and no one waits for the whole.
 */
export async function historyText(
  entries: AsyncIterable<ThreadState>,
  { mostCharacters, betweenPieces }: HistoryTextOptions,
): Promise<string> {
  const elements = new WeakMap<object, string>();
  const texts: string[] = [];
  let characters = 0;
  for await (const { values, ...entry } of entries) {
    const text = `{"values":${recordText(values, elements)},${JSON.stringify(entry).slice(1)}`;
    texts.push(text);
    characters += text.length;
    if (characters > mostCharacters) break;
    if (texts.length % entriesInPiece === 0) await betweenPieces();
  }
  return `[${texts.join(',')}]`;
}

function recordText(values: Record<string, unknown>, elements: WeakMap<object, string>): string {
  const entries = Object.entries(values).map(([key, value]) => {
    const text = Array.isArray(value) ? listText(value, elements) : JSON.stringify(value);
    return `${JSON.stringify(key)}:${text}`;
  });
  return `{${entries.join(',')}}`;
}

function listText(list: unknown[], elements: WeakMap<object, string>): string {
  return `[${list.map((element) => elementText(element, elements)).join(',')}]`;
}

function elementText(element: unknown, elements: WeakMap<object, string>): string {
  if (typeof element !== 'object' || element === null) return JSON.stringify(element);
  const known = elements.get(element);
  if (known !== undefined) return known;
  const text = JSON.stringify(element);
  elements.set(element, text);
  return text;
}
