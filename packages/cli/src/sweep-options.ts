import { readFileSync } from 'node:fs';
import { type SweepAxisInput, sweepLimits } from '@switchyard/contract/dispatch/sweep';
import { CommandError } from './exit-codes.ts';
import { requireFile } from './local-file.ts';

const range = /^(-?[\d.]+)\.\.(-?[\d.]+)\/([\d.]+)$/;

/** Reads `key=…` options into axes. */
export function axesOf(
  texts: readonly string[] = [],
  valuesOf: (text: string) => Omit<SweepAxisInput, 'param'>,
): SweepAxisInput[] {
  return texts.map((text) => {
    const separator = text.indexOf('=');
    if (separator < 1) throw new CommandError('usage', `${text}: write key=… with the name of a parameter.`);
    return { param: text.slice(0, separator), ...valuesOf(text.slice(separator + 1)) };
  });
}

/** `from..to/step`, a JSON list, or values between commas: each JSON where it is JSON, else the text as it stands. */
export function valuesOfAxis(text: string): Pick<SweepAxisInput, 'values' | 'range'> {
  const [, from, to, step] = range.exec(text) ?? [];
  if (step !== undefined) return { range: { from: Number(from), to: Number(to), step: Number(step) } };
  const list = jsonOr(text);
  return { values: Array.isArray(list) ? list : text.split(',').map(jsonOr) };
}

export function linesOfFile(path: string): Pick<SweepAxisInput, 'lines'> {
  if (requireFile(path) <= sweepLimits.lineBytes) return { lines: readFileSync(path, 'utf8') };
  throw new CommandError(
    'usage',
    `${path} is larger than the ${sweepLimits.lineBytes} bytes that an axis takes.`,
  );
}

export function countOfSeeds(text: string): Pick<SweepAxisInput, 'seeds'> {
  if (/^\d{1,9}$/.test(text)) return { seeds: Number(text) };
  throw new CommandError('usage', `${text} is not a number of seeds. Write key=4.`);
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
