import { taskErrorCodes } from '@switchyard/contract/dispatch/task';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { sentenceTexts } from '@switchyard/contract/sentences/sentence-texts';

/** A longer text is not one of these sentences. */
const maxReadLength = 2_000;
const maxParts = 10;
/** Sentences of the gateway have causes three deep. What a worker says may repeat such words without end. */
const maxDepth = 5;

const slotPatterns: Partial<Record<string, string>> = {
  error: taskErrorCodes.join('|'),
  address: '\\S+',
  host: '\\S+',
  count: '\\d+',
  seconds: '\\d+',
  status: '\\d+',
  nodes: '\\d+',
  models: '\\d+',
  free: '\\d+',
  version: '\\S+',
  skillField: 'name|description|license',
  // An archive may have a file without a name.
  entry: '.*?',
  length: '\\d+',
  bytes: '\\d+',
  limit: '-?\\d[\\d.e+-]*',
  expected: "(?:'|-?\\d|true|false|null).*",
};

/** The sentences of earlier versions where this one has other words. */
const earlierTexts: [code: keyof typeof sentenceTexts, text: string][] = [
  ['size_nowhere', 'No instance that could run the task takes its input: {cause}'],
];

const patterns = [...Object.entries(sentenceTexts), ...earlierTexts].map(([code, text]) => ({
  code,
  pattern: patternOf(text),
}));

/**
 * Finds the sentences again in a text that an earlier version has stored without codes. What is not one of them is a quote.
 */
export function readSentences(text: string): Sentence[] {
  return readTo(maxDepth, text);
}

function readTo(depth: number, text: string): Sentence[] {
  if (text === '') return [];
  const known = depth > 0 ? (readParts(depth, text) ?? readWhole(depth, text)) : null;
  return known ?? [{ code: 'quote', values: { text } }];
}

/** Several sentences, one after the other. */
function readParts(depth: number, text: string): Sentence[] | null {
  const parts = text.split(/(?<=\.) /, maxParts + 1);
  if (parts.length < 2 || parts.length > maxParts) return null;
  const each = parts.map((part) => readWhole(depth, part));
  return each.every((part) => part !== null) ? each.flat() : null;
}

function readWhole(depth: number, text: string): Sentence[] | null {
  if (text.length > maxReadLength) return null;
  for (const { code, pattern } of patterns) {
    const found = pattern.exec(text);
    if (!found) continue;
    const { cause = '', said = '', detail, ...values } = found.groups ?? {};
    const own = { code, values: { ...values, ...(detail !== undefined && { detail }) } };
    return [...readTo(depth - 1, said), own, ...readTo(depth - 1, cause)];
  }
  return null;
}

function patternOf(text: string): RegExp {
  const source = text
    .split(/(\{\w+\})/)
    .map((part) => (/^\{\w+\}$/.test(part) ? slotPattern(part.slice(1, -1)) : escaped(part)))
    .join('');
  const detail = text.endsWith('}') ? '' : '(?: \\((?<detail>[^()]*)\\))?';
  return new RegExp(`^${source}${detail}$`, 's');
}

function slotPattern(slot: string): string {
  return `(?<${slot}>${slotPatterns[slot] ?? '.+?'})`;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
