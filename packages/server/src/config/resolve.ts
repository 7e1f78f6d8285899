import { join } from 'node:path';
import type { ConfigFault, Source } from './faults.ts';
import type { Field } from './fields.ts';
import { interpolate, isTemplate } from './interpolate.ts';
import { fields } from './keys.ts';
import type { Config } from './schema.ts';
import { type GivenValue, ItemFault, readValue } from './value.ts';

/** One value as it was given, not yet checked. */
export interface Entry extends GivenValue {
  key: string;
  source: Source;
  /** The position of each item of a list. */
  items?: Source[];
}

interface Surroundings {
  env: Record<string, string | undefined>;
  cwd: string;
}

/**
 * Takes each key's value from the first entry that has one (`entries` is sorted by precedence), else the default. An
 * overridden value is checked too, so that a flag does not hide a broken file.
 */
export function resolveConfig(
  entries: readonly Entry[],
  surroundings: Surroundings,
): { config: Config; sources: Map<string, Source>; faults: ConfigFault[] } {
  const faults: ConfigFault[] = [];
  const values = new Map<string, unknown>();
  const sources = new Map<string, Source>();
  for (const [key, field] of fields) {
    for (const entry of entries.filter((candidate) => candidate.key === key)) {
      const value = readEntry(entry, field, { ...surroundings, faults, isOverridden: values.has(key) });
      if (value === undefined || values.has(key)) continue;
      values.set(key, value);
      sources.set(key, entry.source);
    }
    if (values.has(key)) continue;
    values.set(key, defaultOf(field, values, surroundings.cwd));
    sources.set(key, { kind: 'default' });
  }
  return { config: nest(values), sources, faults };
}

/** Returns undefined when the entry is empty or faulty. */
function readEntry(
  entry: Entry,
  field: Field,
  context: Surroundings & { faults: ConfigFault[]; isOverridden: boolean },
): unknown {
  // A reference that is overridden needs no variable.
  if (context.isOverridden && !entry.isText && hasTemplate(entry.data)) return undefined;
  try {
    const given = expand(entry, context.env);
    return isEmpty(given.data) ? undefined : readValue(field, given, context.cwd);
  } catch (error) {
    context.faults.push(...toFaults(error, entry));
    return undefined;
  }
}

/** Only a RangeError concerns the value. Any other error is a defect in our code and is thrown again. */
function toFaults(error: unknown, { key, source, items }: Entry): ConfigFault[] {
  const causes: unknown[] = error instanceof AggregateError ? error.errors : [error];
  return causes.map((cause) => {
    if (!(cause instanceof RangeError)) throw error;
    const place = cause instanceof ItemFault ? items?.[cause.index] : undefined;
    return { key, source: place ?? source, message: cause.message };
  });
}

/** Only the file has templates. A `$` in a value from the environment is literal. */
function expand({ data, isText }: Entry, env: Surroundings['env']): GivenValue {
  if (isText) return { data, isText };
  if (typeof data === 'string' && isTemplate(data)) return { data: interpolate(data, env), isText: true };
  return { data: expandWithin(data, env), isText };
}

function expandWithin(data: unknown, env: Surroundings['env']): unknown {
  if (typeof data === 'string') return interpolate(data, env);
  if (Array.isArray(data)) return data.map((item: unknown) => expandWithin(item, env));
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, expandWithin(value, env)]));
}

function hasTemplate(data: unknown): boolean {
  if (typeof data === 'string') return isTemplate(data);
  return typeof data === 'object' && data !== null && Object.values(data).some(hasTemplate);
}

/** `key:` and `key: "${NAME:-}"` mean the default. */
function isEmpty(data: unknown): boolean {
  return data === null || data === '';
}

function defaultOf(field: Field, values: Map<string, unknown>, cwd: string): unknown {
  const home = values.get('data_home');
  const own = field['x-under-home'];
  if (own !== undefined) return join(String(home), own);
  const shared = field['x-under-shared-home'];
  if (shared !== undefined) return join(String(values.get('files.shared_home') ?? home), shared);
  return field.default === null ? null : readValue(field, { data: field.default, isText: false }, cwd);
}

/** The cast is safe because `Config` is derived from the schema that `fields` lists. */
function nest(values: Map<string, unknown>): Config {
  const root: Record<string, unknown> = {};
  for (const [key, value] of values) {
    const names = key.split('.');
    const last = names.pop() ?? key;
    let section = root;
    for (const name of names) {
      section[name] ??= {};
      section = section[name] as Record<string, unknown>;
    }
    section[last] = value;
  }
  return root as Config;
}
