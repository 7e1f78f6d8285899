import type { Fault } from '@switchyard/contract/errors';
import { say } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { storable } from '../../lib/storable-text.ts';

/**
 * Postgres cannot store the first, and the second is not a character. Both are refused at the edge, before any query.
 */
const unstorable = /[\0\p{Surrogate}]/u;

/** More would only repeat the first ones. */
const maxFaults = 100;

/**
 * Returns whether JSON text may hold anything that `refuseUnsafeValue` finds. `\u` is the only way to write half a
 * pair.
 */
export function mayBeUnsafe(json: string): boolean {
  return /\\u|__proto__|constructor/.test(json);
}

/** Refuses texts that cannot be stored, and keys that reach for an object's prototype, anywhere in a parsed body. */
export function refuseUnsafeValue(value: unknown): void {
  const faults: Fault[] = [];
  collectFaults(value, [], faults);
  if (faults.length > 0) throw new AppError('validation_failed', { faults });
}

/** Refuses `%00` and escapes that are not UTF-8 in path and query. Only called for addresses with a `%`. */
export function refuseUnsafeAddress(url: string): void {
  const queryStart = url.indexOf('?');
  const path = queryStart < 0 ? url : url.slice(0, queryStart);
  const query = queryStart < 0 ? '' : url.slice(queryStart + 1);
  const faults: Fault[] = [];
  if (isUnsafeEscape(path)) faults.push(unsafeEscape('path', [], path));
  for (const pair of query.split('&')) {
    if (faults.length < maxFaults && isUnsafeEscape(pair))
      faults.push(unsafeEscape('query', [pair.split('=', 1)[0] ?? ''], pair));
  }
  if (faults.length > 0) throw new AppError('validation_failed', { faults });
}

/** `path` is one list for the whole walk. A fault keeps a copy. */
function collectFaults(value: unknown, path: (string | number)[], faults: Fault[]): void {
  if (typeof value === 'string') {
    if (unstorable.test(value)) faults.push(unsafeText('body', [...path], value));
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    if (faults.length >= maxFaults) return;
    const fault = Array.isArray(value) ? undefined : faultOfKey(key, item, path);
    if (fault) {
      faults.push(fault);
      continue;
    }
    path.push(Array.isArray(value) ? Number(key) : key);
    collectFaults(item, path, faults);
    path.pop();
  }
}

function faultOfKey(key: string, value: unknown, path: Fault['path']): Fault | undefined {
  if (isPrototypeKey(key, value)) return prototypeKey([...path, key]);
  return unstorable.test(key) ? unsafeText('body', [...path], key) : undefined;
}

function isPrototypeKey(key: string, value: unknown): boolean {
  if (key === '__proto__') return true;
  return (
    key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
  );
}

function isUnsafeEscape(text: string): boolean {
  try {
    return text.includes('%') && unstorable.test(decodeURIComponent(text));
  } catch {
    return true;
  }
}

function unsafeText(part: Fault['in'], path: Fault['path'], input: string): Fault {
  return { in: part, path, type: 'value_error', message: say('text_unstorable'), input: visible(input) };
}

function unsafeEscape(part: Fault['in'], path: Fault['path'], input: string): Fault {
  const message =
    'Value error, escapes must be UTF-8 and not %00; encode the text as UTF-8, and % itself as %25';
  return { in: part, path, type: 'value_error', message, input: visible(input) };
}

function prototypeKey(path: Fault['path']): Fault {
  const message = `Value error, the key ${String(path.at(-1))} is not allowed here; use another name`;
  return { in: 'body', path, type: 'value_error', message, input: null };
}

/** The response itself must be storable text again. */
function visible(text: string): string {
  return storable(text.slice(0, 100));
}
