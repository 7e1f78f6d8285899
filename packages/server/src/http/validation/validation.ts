import { AjvCompiler } from '@fastify/ajv-compiler';
import type { Fault } from '@switchyard/contract/errors';
import { isRecord } from '@switchyard/contract/is-record';
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import type { SchemaError } from './schema-error.ts';
import { toFaults } from './validation-faults.ts';

const words: Partial<Record<string, boolean>> = Object.assign(Object.create(null), {
  true: true,
  false: false,
});

/** For a larger body only its first fault is reported: a list of a million faults would cost more than the body may. */
const maxBytesForAllFaults = 262_144;

type PartName = 'params' | 'querystring' | 'headers' | 'body';

/** In the order in which faults are reported. */
const parts = [
  { name: 'params', in: 'path', valueOf: (request: FastifyRequest) => request.params },
  { name: 'querystring', in: 'query', valueOf: (request: FastifyRequest) => request.query },
  { name: 'headers', in: 'header', valueOf: (request: FastifyRequest) => request.headers },
  { name: 'body', in: 'body', valueOf: (request: FastifyRequest) => request.body },
] as const satisfies { name: PartName; in: Fault['in']; valueOf: (request: FastifyRequest) => unknown }[];

type Validate = ((value: unknown) => boolean) & { errors?: SchemaError[] | null };

/** Says only that a request is not valid. `faultsOf` then gives the reasons. */
export class InvalidRequest extends Error {}

/**
 * Bodies are not converted. Values that arrive as text (query, path, headers) are converted to the type that their
 * schema names. A request is checked by validators that stop at the first fault. Only a request that failed is checked
 * again, in all its parts, for the complete list. Validators are compiled when they are first needed, so start-up does
 * not wait for them.
 */
export class RequestValidation {
  readonly #first = compilerOf({ allErrors: false });
  readonly #all = compilerOf({ allErrors: true });

  readonly compiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
    const part = httpPart as PartName;
    return (value: unknown) => {
      if (part !== 'body') readAddressValues(schema, value);
      const validate = this.#first(schema);
      return validate(value) ? true : { error: new InvalidRequest() };
    };
  };

  faultsOf(request: FastifyRequest): Fault[] {
    const faults = this.#schemaFaults(request);
    const { moreFaults } = request.routeOptions.config;
    if (moreFaults === undefined || !isSmall(request)) return faults;
    const told = new Set(faults.map(placeOf));
    return [...faults, ...moreFaults(request.body).filter((fault) => !told.has(placeOf(fault)))];
  }

  #schemaFaults(request: FastifyRequest): Fault[] {
    const schemas = request.routeOptions.schema as Partial<Record<PartName, object>> | undefined;
    return parts.flatMap((part) => {
      const schema = schemas?.[part.name];
      if (schema === undefined) return [];
      const value = part.valueOf(request);
      const compiler = part.name === 'body' && !isSmall(request) ? this.#first : this.#all;
      if (part.name !== 'body') readAddressValues(schema, value);
      const validate = compiler(schema);
      if (validate(value ?? null)) return [];
      return toFaults(validate.errors ?? [], { in: part.in, value });
    });
  }
}

/** Values are not converted to other types. */
function compilerOf(options: { allErrors: boolean }): (schema: object) => Validate {
  const shared = { ...options, removeAdditional: false, useDefaults: true, verbose: true };
  const strictness = { strict: true, strictTypes: false, allowUnionTypes: true } as const;
  const compile = AjvCompiler()({}, { customOptions: { ...shared, ...strictness, coerceTypes: false } });
  const compiled = new WeakMap<object, Validate>();
  return (schema) => {
    const known = compiled.get(schema);
    if (known) return known;
    const validate = compile({ schema }) as Validate;
    compiled.set(schema, validate);
    return validate;
  };
}

function placeOf({ in: part, path }: Fault): string {
  return [part, ...path].join('.');
}

function isSmall({ headers }: FastifyRequest): boolean {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= maxBytesForAllFaults;
}

interface Named {
  type?: unknown;
  anyOf?: readonly Named[];
  items?: Named;
  properties?: Record<string, Named>;
}

/**
 * Converts the texts of a query, a path or of headers to the types that their schema names, in place. A text that
 * cannot be converted stays a text, which the schema then refuses.
 */
function readAddressValues(schema: object, values: unknown): void {
  const { properties = {} } = schema as Named;
  if (!isRecord(values)) return;
  for (const [name, named] of Object.entries(properties)) {
    if (values[name] !== undefined) values[name] = readAs(named, values[name]);
  }
}

function readAs(named: Named, value: unknown): unknown {
  if (named.anyOf) return firstRead(named.anyOf, value);
  if (named.type === 'array') return [value].flat().map((item) => readAs(named.items ?? {}, item));
  if (typeof value !== 'string') return value;
  if (named.type === 'integer') return numberIn(value, /^-?\d+$/) ?? value;
  if (named.type === 'number') return numberIn(value, /^-?\d+(\.\d+)?$/) ?? value;
  if (named.type === 'boolean') return words[value] ?? value;
  return value;
}

/** Returns the value of the first alternative that converts the text. */
function firstRead(alternatives: readonly Named[], value: unknown): unknown {
  for (const named of alternatives) {
    const read = readAs(named, value);
    if (read !== value) return read;
  }
  return value;
}

/** Accepts plain decimal notation: no spaces, no exponent, no hexadecimal, no name of a number. */
function numberIn(text: string, notation: RegExp): number | undefined {
  if (!notation.test(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number + 0 : undefined; // -0 becomes 0
}
