import { nearest } from '../lib/nearest.ts';
import { environmentName, fields } from './keys.ts';

/** The origin of a value. Lines and columns count from 1. */
export type Source =
  | { kind: 'flag'; name: string }
  | { kind: 'env'; name: string }
  | { kind: 'file'; file: string; line: number; column: number }
  | { kind: 'default' };

export interface ConfigFault {
  /** Null when the fault concerns the whole file. */
  key: string | null;
  message: string;
  source: Source;
  /** The known key or variable that was most likely meant. */
  nearest?: string;
}

/** Carries every fault of the configuration. The message is the list that a person reads. */
export class ConfigError extends Error {
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    const sorted = [...faults].sort(byPlace);
    const count = sorted.length === 1 ? '1 fault' : `${sorted.length} faults`;
    super(
      [`The configuration has ${count}:`, ...sorted.map((fault) => `  ${describeFault(fault)}`)].join('\n'),
    );
    this.name = 'ConfigError';
    this.faults = sorted;
  }
}

export function describeSource(source: Source): string {
  switch (source.kind) {
    case 'file':
      return `${source.file}:${source.line}:${source.column}`;
    case 'default':
      return 'default';
    case 'flag':
    case 'env':
      return source.name;
  }
}

/** The fault for an unknown key. `siblings` are the names that would be right in its place. */
export function unknownKey(key: string, siblings: readonly string[], source: Source): ConfigFault {
  if (fields.has(key)) return dottedKey(key, source);
  const prefix = key.slice(0, key.lastIndexOf('.') + 1);
  const name = key.slice(prefix.length);
  const sibling = nearest(name, siblings);
  const meant = sibling === undefined ? inAnotherSection(name, prefix) : prefix + sibling;
  if (meant === undefined) {
    return { key, source, message: `unknown key "${key}"; known here: ${siblings.join(', ')}` };
  }
  const suggestion = source.kind === 'env' ? environmentName(meant) : meant;
  return { key, source, message: `unknown key "${key}"; did you mean ${suggestion}?`, nearest: suggestion };
}

/** The fault for `server.port: 7300` written as one word, which only a file can contain. */
function dottedKey(key: string, source: Source): ConfigFault {
  const [name, ...sections] = key.split('.').reverse();
  const section = sections.reverse().join('.');
  return { key, source, message: `unknown key "${key}"; write ${name} inside ${section}`, nearest: key };
}

/**
 * The fault for a right name in the wrong section, for example `port` at the top. Inside a section only names of the same top section
 * are near: an unknown area of the log is not a setting of the login.
 */
function inAnotherSection(name: string, prefix: string): string | undefined {
  const top = prefix.slice(0, prefix.indexOf('.') + 1);
  // The first section that has the name is the most usual one: server.port, and not that of a door.
  const keys = [...fields.keys()].filter((key) => key.startsWith(top)).reverse();
  const keysByName = new Map(keys.map((key) => [key.slice(key.lastIndexOf('.') + 1), key]));
  const match = nearest(name, keysByName.keys());
  return match === undefined ? undefined : keysByName.get(match);
}

export function describeFault({ key, message, source }: ConfigFault): string {
  const place = describeSource(source);
  const needsKey = key !== null && !message.includes(key);
  if (!needsKey) return `${place}  ${message}`;
  // A message about an entry of a list or a map begins with the entry's place: `.fast has …`, `[0].model is …`.
  const gap = /^[.[]/.test(message) ? '' : ' ';
  return `${place}  ${key}${gap}${message}`;
}

function byPlace(a: ConfigFault, b: ConfigFault): number {
  if (a.source.kind === 'file' && b.source.kind === 'file') {
    return a.source.line - b.source.line || a.source.column - b.source.column;
  }
  return order[a.source.kind] - order[b.source.kind];
}

const order = { file: 0, env: 1, flag: 2, default: 3 } as const;
