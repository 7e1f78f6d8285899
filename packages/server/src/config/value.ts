import { resolve } from 'node:path';
import { parseDuration } from '../lib/duration.ts';
import { nearest } from '../lib/nearest.ts';
import { parseSize } from '../lib/size.ts';
import { readChannels } from './channels.ts';
import type { Field } from './fields.ts';
import { checkFormat, withoutCredentials } from './formats.ts';
import { readModels } from './models.ts';
import { readSubagents } from './subagents.ts';

/** One wrong item of a list. The other wrong items of the list are reported too. */
export class ItemFault extends RangeError {
  readonly index: number;

  constructor(index: number, message: string) {
    super(message);
    this.index = index;
  }
}

export interface GivenValue {
  data: unknown;
  /**
   * True when the value arrives as text (environment, command line, `${…}`) and has to be converted to the type of its
   * key.
   */
  isText: boolean;
}

/**
 * Returns the value of a key, ready for use. Throws a RangeError, or an AggregateError of several, that says what to
 * write.
 */
export function readValue(field: Field, { data, isText }: GivenValue, cwd: string): unknown {
  switch (field['x-kind']) {
    case 'text':
      return readText(field, data);
    case 'path':
      return resolve(cwd, readText(field, data));
    case 'integer':
      return readInteger(field, numberIn({ data, isText }));
    case 'number':
      return readNumber(field, numberIn({ data, isText }));
    case 'boolean':
      return readBoolean(field, isText ? toBoolean(data) : data);
    case 'choice':
      return readChoice(field, data, isText);
    case 'duration':
      return within(
        field,
        parseDuration(typeof data === 'number' ? String(data) : readText(field, data)),
        parseDuration,
      );
    case 'size':
      return within(
        field,
        parseSize(typeof data === 'number' ? String(data) : readText(field, data)),
        parseSize,
      );
    case 'models':
      return readModels(isText ? parseJson(data) : data);
    case 'subagents':
      return readSubagents(isText ? parseJson(data) : data);
    case 'channels':
      return readChannels(isText ? parseJson(data) : data);
    case 'list':
      return readList(field, isText ? String(data).split(',') : data);
  }
}

function numberIn({ data, isText }: GivenValue): unknown {
  return isText ? toNumber(data) : data;
}

function readText(field: Field, data: unknown): string {
  if (typeof data !== 'string') throw wrong(field, 'must be text', data);
  if (field.minLength && data.length < field.minLength) {
    throw wrong(field, `must have at least ${field.minLength} characters`, data);
  }
  const format = field['x-format'];
  return format ? inFormat(field, data, () => checkFormat(format, data)) : data;
}

function readInteger(field: Field, data: unknown): number {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = field;
  if (typeof data === 'number' && Number.isInteger(data) && data >= minimum && data <= maximum) return data;
  throw wrong(field, `must be a whole number from ${minimum} to ${maximum}`, data);
}

function readNumber(field: Field, data: unknown): number {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = field;
  if (typeof data === 'number' && data >= minimum && data <= maximum) return data;
  throw wrong(field, `must be a number from ${minimum} to ${maximum}`, data);
}

function readBoolean(field: Field, data: unknown): boolean {
  if (typeof data === 'boolean') return data;
  throw wrong(field, 'must be true or false', data);
}

function readChoice(field: Field, data: unknown, isText: boolean): string | number {
  const choices = field.enum ?? [];
  const chosen = choices.find((choice) => choice === data || (isText && String(choice) === data));
  if (chosen !== undefined) return chosen;
  const meant = typeof data === 'string' ? nearest(data, choices.map(String)) : undefined;
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  const rule = choices.length === 1 ? `must be ${choices[0]}` : `must be one of ${choices.join(', ')}`;
  throw new RangeError(wrong(field, rule, data).message + hint);
}

function readList(field: Field, data: unknown): string[] {
  if (!Array.isArray(data)) throw wrong(field, 'must be a list, written ["one", "two"]', data);
  if (data.length > 100) throw new RangeError(`has ${data.length} entries; 100 are the limit`);
  const faults: ItemFault[] = [];
  const items = data.flatMap((item: unknown, index) => {
    if (item === null || (typeof item === 'string' && item.trim() === '')) return [];
    try {
      return [readText(field, typeof item === 'string' ? item.trim() : item)];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      faults.push(new ItemFault(index, error.message));
      return [];
    }
  });
  if (faults.length > 0) throw new AggregateError(faults);
  return items;
}

/** Reads a list of sections from the environment. The fault does not quote the text, because it may hold keys. */
function parseJson(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    throw new RangeError('must be JSON, written [{"name":"…"}]');
  }
}

function within(field: Field, value: number, parse: (text: string) => number): number {
  const { 'x-minimum': minimum, 'x-maximum': maximum } = field;
  const isTooSmall = minimum !== undefined && value < parse(minimum);
  const isTooLarge = maximum !== undefined && value > parse(maximum);
  if (isTooSmall || isTooLarge) throw new RangeError(`must lie between ${minimum} and ${maximum}`);
  return value;
}

function inFormat(field: Field, data: string, check: () => string): string {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw wrong(field, error.message, data);
  }
}

function toNumber(data: unknown): unknown {
  return typeof data === 'string' && /^-?\d{1,15}$/.test(data.trim()) ? Number(data) : data;
}

function toBoolean(data: unknown): unknown {
  const words: Record<string, boolean> = { true: true, '1': true, false: false, '0': false };
  return words[String(data).trim().toLowerCase()] ?? data;
}

/** Quotes what was written, unless it is a secret. */
function wrong(field: Field, rule: string, data: unknown): RangeError {
  return new RangeError(field['x-secret'] ? rule : `${rule}, not ${quote(data)}`);
}

function quote(data: unknown): string {
  if (Array.isArray(data)) return 'a list';
  if (typeof data === 'object' && data !== null) return 'a section with keys';
  const text = withoutCredentials(String(data));
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return typeof data === 'string' ? `the text "${short}"` : short;
}
