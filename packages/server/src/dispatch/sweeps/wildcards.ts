import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { shownValue } from '../graphs/shown-value.ts';

/** A text with its groups: a string, or the alternatives of a group. */
type Part = string | Part[][];

/** A group in a group in a group is rare, and reading goes as deep as they do. */
const maxDepth = 20;
/** The placeholders of a graph stay as they are. */
const placeholder = /\{\{[^{}]{1,200}\}\}/y;

export class WildcardFault extends Error {
  readonly reasonFor: (name: string) => Wording;

  constructor(reasonFor: (name: string) => Wording) {
    super('wildcards that cannot be read');
    this.reasonFor = reasonFor;
  }
}

/** Reads the groups `{a|b}` of a text. Throws a `WildcardFault` when one is not closed. */
export function readWildcards(text: string): Part[] {
  let at = 0;
  const sequence = (depth: number): Part[] => {
    const parts: Part[] = [];
    let plain = '';
    const isEnd = (sign: string | undefined) => depth > 0 && (sign === '|' || sign === '}');
    while (at < text.length && !isEnd(text[at])) {
      const literal = literalAt(text, at);
      if (literal.length > 0) {
        plain += literal.text;
        at += literal.length;
        continue;
      }
      parts.push(plain, group(depth + 1));
      plain = '';
    }
    return [...parts, plain];
  };
  const group = (depth: number): Part[][] => {
    const start = at;
    if (depth > maxDepth) throw new WildcardFault((name) => say('wildcard_deep', { name, max: maxDepth }));
    const alternatives: Part[][] = [];
    do {
      at += 1;
      alternatives.push(sequence(depth));
    } while (text[at] === '|');
    if (text[at] !== '}') {
      const given = shownValue(text.slice(start, start + 40));
      throw new WildcardFault((name) => say('wildcard_open', { name, given }));
    }
    at += 1;
    return alternatives;
  };
  return sequence(0);
}

/** Returns the text with one alternative of each group. `pick` gets a count and returns a number below it. */
export function pickWildcards(parts: readonly Part[], pick: (count: number) => number): string {
  return parts
    .map((part) => (typeof part === 'string' ? part : pickWildcards(part[pick(part.length)] ?? [], pick)))
    .join('');
}

/** The picks of one field of one run: the same for the same seed, and different in each run and field. */
export function picksOf(seed: number, cell: number, param: string): (count: number) => number {
  let state = hashOf(`${seed}:${cell}:${param}`);
  return (count) => {
    // One step of SplitMix32.
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return Math.floor((((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32) * count);
  };
}

/** Returns what stands for itself at a place; nothing at the beginning of a group. */
function literalAt(text: string, at: number): { text: string; length: number } {
  const sign = text[at] ?? '';
  const next = text[at + 1] ?? '';
  if (sign === '\\' && next !== '' && '{|}'.includes(next)) return { text: next, length: 2 };
  if (sign !== '{') return { text: sign, length: 1 };
  placeholder.lastIndex = at;
  const [kept = ''] = placeholder.exec(text) ?? [];
  return { text: kept, length: kept.length };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}
