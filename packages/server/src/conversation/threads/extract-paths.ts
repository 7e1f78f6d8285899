import { AppError } from '../../lib/app-error.ts';

/** A key of an object, or a place in a list; negative places count from the end. */
type Segment = string | number;

export interface ExtractPath {
  alias: string;
  segments: Segment[];
}

/** Longer paths reach no value, because requests have a limit of nesting. */
const maxSegments = 64;

/** Reads `values.messages[-1].content`: names between dots, places in lists in brackets. */
export function parsePath(alias: string, path: string): ExtractPath {
  const segments: Segment[] = [];
  const pattern = /\.?([^.[\]]+)|\[(-?\d{1,9})\]|\["([^"]*)"\]/y;
  while (pattern.lastIndex < path.length) {
    const isFirst = pattern.lastIndex === 0;
    const match = pattern.exec(path);
    if (!match || (isFirst && match[0].startsWith('.')) || segments.length === maxSegments)
      throw invalidPath(alias, path);
    const [, name, place, quoted] = match;
    segments.push(place === undefined ? (name ?? quoted ?? '') : Number(place));
  }
  return { alias, segments };
}

/** Returns null when the path leads to no value. */
export function valueAtPath(root: unknown, segments: readonly Segment[]): unknown {
  let value = root;
  for (const segment of segments) {
    if (Array.isArray(value)) value = typeof segment === 'number' ? value.at(segment) : undefined;
    else if (typeof value === 'object' && value !== null && Object.hasOwn(value, segment))
      value = (value as Record<string, unknown>)[segment];
    else return null;
  }
  return value ?? null;
}

function invalidPath(alias: string, path: string): AppError {
  const message = 'Value error, write names between dots and places in brackets: values.messages[-1].content';
  return new AppError('validation_failed', {
    faults: [{ in: 'body', path: ['extract', alias], type: 'value_error', message, input: path }],
  });
}
