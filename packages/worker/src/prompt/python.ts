/** Reads and prints values as Python does, for the few places where a client sees it. */
export class PythonError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

export function toInt(value: unknown): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    throw new PythonError('OverflowError', 'cannot convert float infinity to integer');
  if (typeof value === 'number') return Math.trunc(value);
  if (typeof value !== 'string')
    throw new PythonError(
      'TypeError',
      `int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`,
    );
  if (!/^\s*[+-]?\d+(_\d+)*\s*$/.test(value))
    throw new PythonError('ValueError', `invalid literal for int() with base 10: ${repr(value)}`);
  return Number(value.replaceAll('_', ''));
}

export function toFloat(value: unknown): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number') return value;
  if (typeof value !== 'string')
    throw new PythonError(
      'TypeError',
      `float() argument must be a string or a real number, not '${typeName(value)}'`,
    );
  const number = value.trim() === '' ? Number.NaN : Number(value.replaceAll('_', ''));
  if (!Number.isFinite(number))
    throw new PythonError('ValueError', `could not convert string to float: ${repr(value)}`);
  return number;
}

export function toText(value: unknown): string {
  return typeof value === 'string' ? value : repr(value);
}

export function toBool(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

export function repr(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string')
    return value.includes("'") && !value.includes('"') ? `"${value}"` : quoted(value);
  if (Array.isArray(value)) return `[${value.map(repr).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, item]) => `${repr(key)}: ${repr(item)}`)
      .join(', ')}}`;
  return String(value);
}

function quoted(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'NoneType';
  return Array.isArray(value) ? 'list' : 'dict';
}
