import { isRecord } from '@switchyard/contract/is-record';

/**
 * Returns whether a JSON value contains another one, as `@>` of Postgres says: an object has each key of the wanted object with a value that
 * contains the wanted one, a list has each wanted item somewhere, and any other value is the same.
 */
export function jsonContains(present: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(present) && wanted.every((item) => present.some((each) => jsonContains(each, item)));
  }
  if (isRecord(wanted)) {
    return (
      isRecord(present) &&
      Object.entries(wanted).every(
        ([key, value]) => Object.hasOwn(present, key) && jsonContains(present[key], value),
      )
    );
  }
  return present === wanted;
}
