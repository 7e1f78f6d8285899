import { withSortedKeys } from '../../lib/with-sorted-keys.ts';

/** Conditions on the top-level keys of a value: the value itself, or operators. All of them must hold. */
export type StoreFilter = Record<string, unknown>;

type Test = (present: unknown, wanted: unknown) => boolean;

const operators: Record<string, Test> = {
  $eq: isSame,
  $ne: (present, wanted) => !isSame(present, wanted),
  $gt: (present, wanted) => order(present, wanted) > 0,
  $gte: (present, wanted) => order(present, wanted) >= 0,
  $lt: (present, wanted) => order(present, wanted) < 0,
  $lte: (present, wanted) => order(present, wanted) <= 0,
  $in: (present, wanted) => Array.isArray(wanted) && wanted.some((each) => isSame(present, each)),
  $nin: (present, wanted) => Array.isArray(wanted) && !wanted.some((each) => isSame(present, each)),
};

export function matches(value: Record<string, unknown>, filter: StoreFilter): boolean {
  return Object.entries(filter).every(([key, wanted]) => {
    const present = Object.hasOwn(value, key) ? value[key] : undefined;
    if (!isOperators(wanted)) return isSame(present, wanted);
    return Object.entries(wanted).every(([name, operand]) => operators[name]?.(present, operand) ?? false);
  });
}

/** Returns the first operator that does not exist, so that the caller gets an error and not an empty result. */
export function unknownOperator(filter: StoreFilter): string | undefined {
  return Object.values(filter)
    .filter(isOperators)
    .flatMap((wanted) => Object.keys(wanted))
    .find((name) => !Object.hasOwn(operators, name));
}

function isOperators(wanted: unknown): wanted is Record<string, unknown> {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return false;
  const names = Object.keys(wanted);
  return names.length > 0 && names.every((name) => name.startsWith('$'));
}

function isSame(present: unknown, wanted: unknown): boolean {
  if (typeof present !== 'object' || typeof wanted !== 'object') return present === wanted;
  return JSON.stringify(withSortedKeys(present)) === JSON.stringify(withSortedKeys(wanted));
}

/**
 * Compares numbers with numbers and texts with texts. All other pairs have no order and give NaN, which makes every comparison
 * false.
 */
function order(present: unknown, wanted: unknown): number {
  if (typeof present === 'number' && typeof wanted === 'number') return present - wanted;
  if (typeof present !== 'string' || typeof wanted !== 'string') return Number.NaN;
  if (present === wanted) return 0;
  return present < wanted ? -1 : 1;
}
