import { CommandError } from './exit-codes.ts';

/** The content of `-p key=value`: a value, or a file that is uploaded first. */
export type GivenParam = { value: unknown } | { path: string };

/**
 * `key=value`: JSON where it is JSON (a number, true, null, "text", a list), else the text as it stands. `key=@file`: that
 * file. `key=@@text`: a text that begins with @.
 */
export function parseParams(texts: readonly string[]): Map<string, GivenParam> {
  const params = new Map<string, GivenParam>();
  for (const text of texts) {
    const separator = text.indexOf('=');
    if (separator < 1) throw new CommandError('usage', `-p ${text}: write key=value or key=@file.`);
    const name = text.slice(0, separator);
    if (params.has(name)) throw new CommandError('usage', `-p ${name} is given twice.`);
    params.set(name, readValue(text.slice(separator + 1)));
  }
  return params;
}

function readValue(text: string): GivenParam {
  if (text.startsWith('@@')) return { value: text.slice(1) };
  if (text.startsWith('@')) return { path: text.slice(1) };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { value: text };
  }
}
