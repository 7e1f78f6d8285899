import type { HistoryEntry } from '@switchyard/contract/conversation/thread';

/** Entries between two pauses. */
const entriesInPiece = 20;

/**
 * The JSON of a history. Its states mostly share their elements, for example messages: each element is serialised once and
 * inserted wherever it occurs, and other requests are served in between.
 */
export async function historyText(
  entries: AsyncIterable<HistoryEntry>,
  {
    maxCharacters,
    betweenPieces,
  }: {
    /** The list ends after the entry with which it exceeds this length. */
    maxCharacters: number;
    /** Awaited after each piece of the list, so that other requests are served. */
    betweenPieces: () => Promise<void>;
  },
): Promise<string> {
  const elements = new WeakMap<object, string>();
  const texts: string[] = [];
  let characters = 0;
  for await (const { values, ...entry } of entries) {
    const text = `{"values":${recordText(values, elements)},${JSON.stringify(entry).slice(1)}`;
    texts.push(text);
    characters += text.length;
    if (characters > maxCharacters) break;
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
