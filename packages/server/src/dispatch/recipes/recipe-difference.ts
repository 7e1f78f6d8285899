import type { RecipeDifference } from '@switchyard/contract/dispatch/recipe';
import { isRecord } from '@switchyard/contract/is-record';

type Differences = Pick<RecipeDifference, 'differences' | 'isCut'>;

const maxDifferences = 500;
const maxTextLength = 500;

/** Compares two plain values place by place. A list is one place, since links and lists of a graph mean something whole. */
export function differencesOf(left: unknown, right: unknown): Differences {
  const [ofLeft, ofRight] = [placesOf(left), placesOf(right)];
  const paths = [...new Set([...ofLeft.keys(), ...ofRight.keys()])];
  const differing = paths.filter(
    (path) => JSON.stringify(ofLeft.get(path)) !== JSON.stringify(ofRight.get(path)),
  );
  return {
    differences: differing.slice(0, maxDifferences).map((path) => ({
      path,
      ...(ofLeft.has(path) && { left: shortened(ofLeft.get(path)) }),
      ...(ofRight.has(path) && { right: shortened(ofRight.get(path)) }),
    })),
    isCut: differing.length > maxDifferences,
  };
}

function placesOf(value: unknown, path = '', places = new Map<string, unknown>()): Map<string, unknown> {
  if (!isRecord(value) || Object.keys(value).length === 0) {
    places.set(path, value);
    return places;
  }
  for (const [name, inner] of Object.entries(value)) {
    placesOf(inner, path === '' ? name : `${path}.${name}`, places);
  }
  return places;
}

function shortened(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= maxTextLength ? value : `${text.slice(0, maxTextLength)}…`;
}
