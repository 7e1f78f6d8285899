import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Value } from 'typebox/value';
import { ProtocolError } from './protocol-error.ts';

/** Returns what a client sent when it fits. The error names the first field that does not. */
export function checked<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
  name: string,
): Static<Schema> {
  if (validatorOf(schema).Check(value)) return value as Static<Schema>;
  const [first] = Value.Errors(schema, value);
  const path = (first?.instancePath ?? '').split('/').slice(1);
  const field = [name, ...path].filter((part) => part !== '').join('.');
  throw new ProtocolError('invalid_argument', `${field || 'body'}: ${first?.message ?? 'is not valid'}`);
}

/** Every command is checked against two of a few schemas; a compiled one is ten times as fast. */
const validators = new WeakMap<TSchema, Validator>();

function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema);
  if (known) return known;
  const validator = Compile(schema);
  validators.set(schema, validator);
  return validator;
}
