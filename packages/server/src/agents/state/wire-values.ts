import type { Json } from '../../lib/json.ts';
import { hitlForClients } from './hitl-casing.ts';
import { withInterruptId } from './interrupt-id.ts';

/**
 * Returns any value that a graph holds or emits as JSON for clients. Messages are flat records, errors give their name and
 * message, and values without a JSON form get the nearest one. LangChain's classes are recognised by their marks, so none of them
 * is loaded.
 */
export function wireValue(value: unknown): Json {
  return new WireEncoder().encode(value) ?? null;
}

/** Elements of lists that several states hold, with their JSON: each is encoded once, and all states share its JSON. */
export type SharedJson = WeakMap<object, Json>;

/** Returns a graph's values, without the channels of LangGraph's own book-keeping. */
export function wireValues(values: object, shared?: SharedJson): Record<string, Json> {
  const entries = Object.entries(values).filter(([channel]) => !channel.startsWith('__pregel_'));
  return new WireEncoder(shared).encode(Object.fromEntries(entries)) as Record<string, Json>;
}

/** Returns the text for clients about a thrown value. It never includes the stack. */
export function wireError(error: unknown): { error: string; message: string; name: string } {
  const { name, message } = errorOf(error);
  return { error: name, message, name };
}

/** Deeper state is a mistake, and would overflow the stack of any code that walks it. */
const maxNesting = 500;

class WireEncoder {
  /** The values that enclose the current one. */
  readonly #open = new Set<object>();
  readonly #shared: SharedJson | undefined;

  constructor(shared?: SharedJson) {
    this.#shared = shared;
  }

  /** Returns undefined for functions, symbols and undefined, which are left out as in JSON. */
  encode(value: unknown): Json | undefined {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value;
      case 'number':
        return Number.isFinite(value) ? value : null;
      case 'bigint':
        return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
      case 'object':
        return value === null ? null : this.#enter(value);
      default:
        return undefined;
    }
  }

  #enter(value: object): Json | undefined {
    // Raw answers of providers sometimes contain themselves; a note in that place loses nothing.
    if (this.#open.has(value)) return '[Circular]';
    if (this.#open.size >= maxNesting) return '[Too deep]';
    this.#open.add(value);
    const encoded = this.#encodeObject(value);
    this.#open.delete(value);
    return encoded;
  }

  #encodeObject(value: object): Json | undefined {
    if (Array.isArray(value)) return this.#list(value);
    if (isPlain(value)) return this.#plain(value);
    if (isMessage(value)) return this.#record(messageFields(value));
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    if (value instanceof Map) return this.#record(Object.fromEntries(value));
    if (value instanceof Set) return this.#list([...value]);
    if (value instanceof Error) return wireError(value);
    if (ArrayBuffer.isView(value)) return base64Of(value);
    if (isSerializable(value)) return this.#record(value.lc_kwargs);
    return this.#plain(value);
  }

  #list(values: unknown[]): Json[] {
    return values.map((value) => this.#element(value));
  }

  /** The JSON of an element does not depend on the rest of its list, so it can be shared. */
  #element(value: unknown): Json {
    const shared = this.#open.size === 2 && typeof value === 'object' && value !== null && this.#shared;
    if (!shared) return this.encode(value) ?? null;
    const known = shared.get(value);
    if (known !== undefined) return known;
    const json = this.encode(value) ?? null;
    shared.set(value, json);
    return json;
  }

  #plain(record: object): Json | undefined {
    if ('toJSON' in record && typeof record.toJSON === 'function') return this.encode(record.toJSON());
    return this.#record(withInterruptId(hitlForClients(record)));
  }

  #record(record: object): { [key: string]: Json } {
    const encoded: { [key: string]: Json } = {};
    for (const [key, value] of Object.entries(record)) {
      const json = this.encode(value);
      if (json !== undefined) define(encoded, key, json);
    }
    return encoded;
  }
}

/** Keeps a key named `__proto__` a plain key. */
function define(record: { [key: string]: Json }, key: string, value: Json): void {
  if (key !== '__proto__') record[key] = value;
  else Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const messageMark = Symbol.for('langchain.message');
const oldNamespace = 'langchain_core,messages';

interface Message extends Record<string, unknown> {
  getType(): string;
}

/** Messages have the mark since version 1 of LangChain's core. Those of older versions name the module of their class. */
function isMessage(value: object): value is Message {
  if (!('getType' in value) || typeof value.getType !== 'function') return false;
  return messageMark in value || ('lc_namespace' in value && String(value.lc_namespace) === oldNamespace);
}

const messageKeys = [
  'content',
  'id',
  'name',
  'additional_kwargs',
  'response_metadata',
  'tool_calls',
  'invalid_tool_calls',
  'tool_call_chunks',
  'usage_metadata',
  'tool_call_id',
  'status',
  'artifact',
  'metadata',
  'role',
];

/** A piece of a message has the type of the whole message; both have one id. */
function messageFields(message: Message): Record<string, unknown> {
  const fields: Record<string, unknown> = { type: message.getType() };
  for (const key of messageKeys) if (message[key] !== undefined) fields[key] = message[key];
  return fields;
}

/** Recognises documents and similar objects, which keep in these fields what they were made of. */
function isSerializable(value: object): value is { lc_kwargs: object } {
  return (
    'lc_serializable' in value &&
    'lc_kwargs' in value &&
    typeof value.lc_kwargs === 'object' &&
    value.lc_kwargs !== null
  );
}

function base64Of({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

function errorOf(error: unknown): { name: string; message: string } {
  if (error instanceof Error) return { name: error.name, message: error.message };
  if (typeof error === 'object' && error !== null && 'message' in error) {
    const name = 'name' in error ? String(error.name) : 'Error';
    return { name, message: String(error.message) };
  }
  return { name: 'Error', message: typeof error === 'string' ? error : JSON.stringify(wireValue(error)) };
}
