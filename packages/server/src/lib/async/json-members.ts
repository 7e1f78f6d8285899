import { Turns } from './turns.ts';

/** Members of ordinary length take some 2 ms together. */
const membersPerTurn = 64;

/**
 * Calls `visit` with each member of a JSON object, a few in each turn of the event loop: a text of megabytes that is parsed at once
 * holds everything else up. Throws a SyntaxError where `JSON.parse` does, after the members before the fault were visited.
 */
export async function forEachMember(
  text: string,
  visit: (key: string, value: unknown) => void,
): Promise<void> {
  const turns = new Turns(membersPerTurn);
  let at = required(text, afterSpace(text, 0), '{');
  if (text[afterSpace(text, at)] === '}') return requireEnd(text, afterSpace(text, at) + 1);
  for (;;) {
    await turns.next();
    const keyStart = afterSpace(text, at);
    required(text, keyStart, '"');
    const keyEnd = endOfString(text, keyStart);
    const valueStart = required(text, afterSpace(text, keyEnd), ':');
    const valueEnd = endOfValue(text, valueStart);
    visit(JSON.parse(text.slice(keyStart, keyEnd)), JSON.parse(text.slice(valueStart, valueEnd)));
    at = valueEnd + 1;
    if (text[valueEnd] !== ',') break;
  }
  required(text, at - 1, '}');
  requireEnd(text, at);
}

/** Returns the place of the comma or bracket that ends a value. `JSON.parse` judges what stands before it. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') at = endOfString(text, at) - 1;
    else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') {
      if (depth === 0) return at;
      depth -= 1;
    } else if (sign === ',' && depth === 0) return at;
  }
  throw new SyntaxError('The JSON ends within a value.');
}

/** Returns the place behind the quote that ends a string. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text[before] === '\\') before -= 1;
    if ((at - before) % 2 === 1) return at + 1;
  }
  throw new SyntaxError('The JSON ends within a string.');
}

function afterSpace(text: string, start: number): number {
  let at = start;
  while (' \n\r\t'.includes(text[at] ?? 'end')) at += 1;
  return at;
}

/** Returns the place behind the sign. */
function required(text: string, at: number, sign: string): number {
  if (text[at] !== sign) throw new SyntaxError(`The JSON has no ${sign} at ${at}.`);
  return at + 1;
}

function requireEnd(text: string, at: number): void {
  if (afterSpace(text, at) < text.length) throw new SyntaxError('The JSON goes on behind its end.');
}
