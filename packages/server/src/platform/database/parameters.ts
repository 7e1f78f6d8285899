/**
 * Refuses values that the two databases would not store alike, and names their position. SQLite takes a single object
 * for a set of named parameters, and Postgres turns one into JSON, both silently.
 */
export function checkParameters(parameters: readonly unknown[]): void {
  for (const [index, value] of parameters.entries()) {
    if (!isStorable(value)) {
      throw new TypeError(
        `Parameter ${index + 1} of a statement is ${describe(value)}. Store text, numbers, bytes or null: times as ISO text, booleans as 0 or 1, objects as JSON text.`,
      );
    }
  }
}

function isStorable(value: unknown): value is string | number | bigint | Uint8Array | null {
  if (typeof value === 'number') return !Number.isNaN(value);
  if (typeof value === 'string' || typeof value === 'bigint' || value === null) return true;
  return value instanceof Uint8Array;
}

function describe(value: unknown): string {
  if (typeof value === 'number') return 'not a number';
  if (typeof value !== 'object') return typeof value;
  return `an object (${value?.constructor?.name ?? 'without a class'})`;
}
