import { AjvCompiler } from '@fastify/ajv-compiler';
import type { Fault } from '@switchyard/contract/errors';
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import type { SchemaError } from './schema-error.ts';
import { toFaults } from './validation-faults.ts';

/** A larger body is told its first fault only: a list of a million faults would cost more than the body may. */
const maxBytesForAllFaults = 262_144;

type PartName = 'params' | 'querystring' | 'headers' | 'body';

/** In the order in which faults are told. */
const parts = [
  { name: 'params', in: 'path', valueOf: (request: FastifyRequest) => request.params },
  { name: 'querystring', in: 'query', valueOf: (request: FastifyRequest) => request.query },
  { name: 'headers', in: 'header', valueOf: (request: FastifyRequest) => request.headers },
  { name: 'body', in: 'body', valueOf: (request: FastifyRequest) => request.body },
] as const satisfies { name: PartName; in: Fault['in']; valueOf: (request: FastifyRequest) => unknown }[];

type Validate = ((value: unknown) => boolean) & { errors?: SchemaError[] | null };

/** Says only that a request is not valid; `faultsOf` then says why. */
export class InvalidRequest extends Error {}

/**
 * Bodies are taken as they come; what arrives as text (query, path, headers) is read as the type that its schema names.
 * A request is judged by validators that stop at the first fault; only one that failed is judged again, in all its
 * parts, for the complete list. Validators are compiled when they are first needed, which start-up does not wait for.
 */
export class RequestValidation {
  readonly #first = compilers({ allErrors: false });
  readonly #all = compilers({ allErrors: true });

  readonly compiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
    const part = httpPart as PartName;
    return (value: unknown) => {
      const validate = this.#first.validatorFor(schema, part);
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
      const validate = compiler.validatorFor(schema, part.name);
      if (validate(value ?? null)) return [];
      return toFaults(validate.errors ?? [], { in: part.in, value });
    });
  }
}

function compilers(options: { allErrors: boolean }): {
  validatorFor(schema: object, part: PartName): Validate;
} {
  const shared = { ...options, removeAdditional: false, useDefaults: true, verbose: true };
  const strictness = { strict: true, strictTypes: false, allowUnionTypes: true } as const;
  const exact = AjvCompiler()({}, { customOptions: { ...shared, ...strictness, coerceTypes: false } });
  const coercing = AjvCompiler()({}, { customOptions: { ...shared, ...strictness, coerceTypes: 'array' } });
  const compiled = new WeakMap<object, Validate>();
  return {
    validatorFor(schema, part) {
      const known = compiled.get(schema);
      if (known) return known;
      const validate = (part === 'body' ? exact : coercing)({ schema }) as Validate;
      compiled.set(schema, validate);
      return validate;
    },
  };
}

function placeOf({ in: part, path }: Fault): string {
  return [part, ...path].join('.');
}

function isSmall({ headers }: FastifyRequest): boolean {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= maxBytesForAllFaults;
}
