import { DeltaSnapshot } from '@langchain/langgraph-checkpoint';
import type { Json } from '../../lib/json.ts';

/**
 * The value of a record's `lc` field: 1 is LangChain's own form of a message, 2 is our form of values that JSON cannot express. A
 * user's record with such a field is wrapped, so a user cannot write one that reads like ours.
 */
export const langchainMark = 1;
export const ownMark = 2;

/** Turns any state of a graph into JSON from which `decode` makes the same state. */
export function encode(value: unknown): Json {
  return new Encoder().encode(value) ?? null;
}

class Encoder {
  /** The values that enclose the current one. */
  readonly #open = new Set<object>();

  /** Returns undefined for functions and symbols, which are left out as in JSON. */
  encode(value: unknown): Json | undefined {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value;
      case 'number':
        return Number.isFinite(value) ? value : null;
      case 'undefined':
        return own('undefined', {});
      case 'object':
        return value === null ? null : this.#enter(value);
      case 'bigint':
        throw new TypeError('The state of a graph holds a bigint. Use a number, or text.');
      default:
        return undefined;
    }
  }

  #enter(value: object): Json | undefined {
    // Raw answers of providers sometimes contain themselves; a note in that place loses nothing.
    if (this.#open.has(value)) return '[Circular]';
    this.#open.add(value);
    try {
      return this.#encodeObject(value);
    } finally {
      this.#open.delete(value);
    }
  }

  #encodeObject(value: object): Json | undefined {
    if (Array.isArray(value)) return this.#list(value);
    if (value instanceof DeltaSnapshot) return own('delta_snapshot', { value: this.#inside(value.value) });
    if (value instanceof Uint8Array) return own('bytes', { base64: Buffer.from(value).toString('base64') });
    if (value instanceof Set) return own('set', { items: this.#list([...value]) });
    if (value instanceof Map) return own('map', { entries: this.#list([...value]) });
    if (value instanceof RegExp) return own('regexp', { source: value.source, flags: value.flags });
    if (value instanceof Error) return own('error', { message: value.message });
    if (isSend(value)) return this.#record({ node: value.node, args: value.args, ...timeoutOf(value) });
    if (isLangchain(value)) return this.#langchain(value.toJSON());
    if ('toJSON' in value && typeof value.toJSON === 'function') return this.encode(value.toJSON());
    return this.#record(value);
  }

  #list(values: unknown[]): Json[] {
    return values.map((value) => this.#inside(value));
  }

  /** An element of a list cannot be left out. */
  #inside(value: unknown): Json {
    return this.encode(value) ?? null;
  }

  #record(record: object): Json {
    const entries = this.#entries(record);
    return Object.hasOwn(record, 'lc') ? own('escaped', { value: entries }) : entries;
  }

  /** Builds the record from entries, so that a key named `__proto__` stays a key. */
  #entries(record: object): { [key: string]: Json } {
    const encoded = Object.entries(record).map(([key, value]) => [key, this.encode(value)] as const);
    return Object.fromEntries(encoded.filter((entry): entry is [string, Json] => entry[1] !== undefined));
  }

  #langchain(form: LangchainForm): Json {
    if (form.type !== 'constructor') return this.#record(form);
    const { lc, type, id, kwargs } = form;
    return { lc, type, id, kwargs: this.#entries(kwargs) };
  }
}

function own(type: string, fields: { [key: string]: Json }): Json {
  return { lc: ownMark, type, ...fields };
}

type LangchainForm =
  | { lc: typeof langchainMark; type: 'constructor'; id: string[]; kwargs: object }
  | { lc: typeof langchainMark; type: 'secret' | 'not_implemented'; id: string[] };

/** Only an instance has the methods of its class; a record that looks like one does not. */
function isLangchain(value: object): value is { toJSON(): LangchainForm } {
  return (
    'lc_serializable' in value &&
    'toJSON' in value &&
    typeof value.toJSON === 'function' &&
    !Object.hasOwn(value, 'toJSON')
  );
}

function isSend(value: object): value is { node: unknown; args: unknown; timeout?: unknown } {
  const isInstance = Object.getPrototypeOf(value) !== Object.prototype;
  return isInstance && 'lg_name' in value && value.lg_name === 'Send' && 'node' in value && 'args' in value;
}

function timeoutOf({ timeout }: { timeout?: unknown }): { timeout?: unknown } {
  return timeout === undefined ? {} : { timeout };
}
