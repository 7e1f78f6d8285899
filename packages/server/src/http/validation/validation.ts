import { AjvCompiler } from '@fastify/ajv-compiler';
import type { Fault } from '@switchyard/contract/errors';
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { readAddressValues } from './address-values.ts';
import type { SchemaError } from './schema-error.ts';
import { toFaults } from './validation-faults.ts';

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
