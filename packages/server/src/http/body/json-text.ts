export interface JsonLimits {
  /** The depth to which brackets are nested. */
  depth: number;
  /** Texts, numbers, lists and so on, counted by what separates and encloses them: an empty list counts twice. */
  values: number;
}

/**
 * Returns the limit that JSON text exceeds, if any. It runs before the parser, which would otherwise build a million
 * arrays first.
 */
export function limitBroken(text: string, limits: JsonLimits): keyof JsonLimits | undefined {
  let depth = 0;
  let values = 1;
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (character === quote) {
      index = endOfString(text, index);
      continue;
    }
    const step = depthStep(character);
    depth += step;
    if (step > 0 || character === comma) values++;
    if (depth > limits.depth) return 'depth';
    if (values > limits.values) return 'values';
  }
  return undefined;
}

function depthStep(character: number): -1 | 0 | 1 {
  if (character === openBracket || character === openBrace) return 1;
  return character === closeBracket || character === closeBrace ? -1 : 0;
}

const comma = 0x2c;
const quote = 0x22;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Jumps from quote to quote, so that a picture inside a string costs almost nothing. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

/**
 * The token that one step of reading handles. For a string it is only the first quote, because a whole string may be
 * longer than a pattern can hold.
 */
const token = /[ \t\n\r]*(?:([{}[\],:])|("|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;
/** Up to a quote, a backslash, or a character that JSON wants escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none of them inside a string
const stringStop = /["\\\u0000-\u001f]/g;
const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

type State = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'after value';

const steps: Record<State, Record<string, State | 'open' | 'close' | 'comma'>> = {
  value: { '{': 'open', '[': 'open', string: 'after value', literal: 'after value' },
  'value or ]': { '{': 'open', '[': 'open', string: 'after value', literal: 'after value', ']': 'close' },
  key: { string: 'colon' },
  'key or }': { string: 'colon', '}': 'close' },
  colon: { ':': 'value' },
  'after value': { ',': 'comma', '}': 'close', ']': 'close' },
};

/**
 * Returns where text stops being JSON, which the parser of Node 20 often does not say. It is only called for text that
 * the parser refused. Returns the end of the text when only the end is missing.
 */
export function offsetOfJsonError(text: string): number {
  const open: string[] = [];
  let state: State | undefined = 'value';
  token.lastIndex = 0;
  for (;;) {
    const from = token.lastIndex;
    const match = token.exec(text);
    if (match === null) return afterSpace(text, from);
    const found = match[1] ?? (match[2] === '"' ? 'string' : 'literal');
    if (found === 'string') {
      const end = endOfValidString(text, token.lastIndex);
      if (end === undefined) return afterSpace(text, from);
      token.lastIndex = end;
    }
    state = nextState(steps[state][found], found, open);
    if (state === undefined) return afterSpace(text, from);
  }
}

/**
 * Returns the position after the closing quote; undefined when the string has none, or holds characters that JSON does
 * not allow.
 */
function endOfValidString(text: string, start: number): number | undefined {
  stringStop.lastIndex = start;
  for (;;) {
    const stop = stringStop.exec(text);
    if (stop === null) return undefined;
    if (stop[0] === '"') return stringStop.lastIndex;
    escaped.lastIndex = stop.index;
    if (!escaped.test(text)) return undefined;
    stringStop.lastIndex = escaped.lastIndex;
  }
}

/** Returns undefined when the token is not allowed here. `open` holds the brackets that are not yet closed. */
function nextState(
  step: State | 'open' | 'close' | 'comma' | undefined,
  found: string,
  open: string[],
): State | undefined {
  if (step === 'open') {
    open.push(found);
    return found === '{' ? 'key or }' : 'value or ]';
  }
  if (step === 'close') return open.pop() === (found === '}' ? '{' : '[') ? 'after value' : undefined;
  if (step === 'comma') return open.length === 0 ? undefined : open.at(-1) === '{' ? 'key' : 'value';
  return step;
}

function afterSpace(text: string, from: number): number {
  const rest = /[^ \t\n\r]/g;
  rest.lastIndex = from;
  return rest.exec(text)?.index ?? text.length;
}
