import type { Fault } from '@switchyard/contract/errors';
import { say, type Wording, withDetail } from '@switchyard/contract/sentences/sentences';
import { nearest } from '../../lib/nearest.ts';
import type { SchemaError } from './schema-error.ts';
import { foldUnions } from './validation-unions.ts';

interface Judged {
  in: Fault['in'];
  /** The whole part; undefined when it was not sent. */
  value: unknown;
}

/** More would only repeat the first ones. */
const maxFaults = 100;

/**
 * Returns the validator's findings in the words of the conversation contract (appendix B), only the first of each
 * place.
 */
export function toFaults(errors: readonly SchemaError[], { in: part, value }: Judged): Fault[] {
  if (value === undefined)
    return [{ in: part, path: [], type: 'missing', message: say('field_required'), input: null }];
  return foldUnions(errors)
    .slice(0, maxFaults)
    .map((error) => {
      const { below = [], ...description } = describe(error, part);
      const path = [...pathOf(error.instancePath, value), ...below];
      return { in: part, path, ...description, input: boundedInput(error.data) };
    });
}

interface Description {
  type: string;
  message: Wording;
  ctx?: Record<string, unknown>;
  /** The fault concerns a key of the value that failed. */
  below?: string[];
}

type Describe = (error: SchemaError, part: Fault['in']) => Description;

/** The only table from validator keywords to error types. A keyword that is not here becomes a `value_error`. */
const table: Record<string, Describe> = {
  required: ({ params }) => missing(params.missingProperty),
  dependentRequired: ({ params }) => missing(params.missingProperty),
  additionalProperties: ({ params, parentSchema }) => ({
    type: 'extra_forbidden',
    message: unknownField(String(params.additionalProperty), parentSchema),
    below: [String(params.additionalProperty)],
  }),
  type: ({ schema, data }, part) => wrongType(schema, data, part),
  enum: ({ schema }) => literal(schema as unknown[]),
  const: ({ schema }) => literal([schema]),
  minLength: ({ schema }) => ({
    type: 'string_too_short',
    message: counted(Number(schema), 'string_too_short'),
    ctx: { min_length: schema },
  }),
  maxLength: ({ schema }) => ({
    type: 'string_too_long',
    message: counted(Number(schema), 'string_too_long'),
    ctx: { max_length: schema },
  }),
  minimum: ({ schema }) => ({
    type: 'greater_than_equal',
    message: say('number_below', { limit: `${schema}` }),
    ctx: { ge: schema },
  }),
  maximum: ({ schema }) => ({
    type: 'less_than_equal',
    message: say('number_above', { limit: `${schema}` }),
    ctx: { le: schema },
  }),
  exclusiveMinimum: ({ schema }) => ({
    type: 'greater_than',
    message: say('number_not_above', { limit: `${schema}` }),
    ctx: { gt: schema },
  }),
  exclusiveMaximum: ({ schema }) => ({
    type: 'less_than',
    message: say('number_not_below', { limit: `${schema}` }),
    ctx: { lt: schema },
  }),
  multipleOf: ({ schema }) => ({
    type: 'multiple_of',
    message: say('number_no_multiple', { limit: `${schema}` }),
    ctx: { multiple_of: schema },
  }),
  pattern: ({ schema, parentSchema }) => ({
    type: 'string_pattern_mismatch',
    message: withHint(say('string_mismatch', { pattern: `${schema}` }), parentSchema),
    ctx: { pattern: schema },
  }),
  format: ({ schema, parentSchema }) =>
    formats[String(schema)] ?? {
      type: 'value_error',
      message: withHint(`Value error, not a valid ${schema}`, parentSchema),
    },
  minItems: ({ schema, data }) => tooShort('List', schema, lengthOf(data)),
  maxItems: ({ schema, data }) => tooLong('List', schema, lengthOf(data)),
  minProperties: ({ schema, data }) => tooShort('Dictionary', schema, lengthOf(data)),
  maxProperties: ({ schema, data }) => tooLong('Dictionary', schema, lengthOf(data)),
  uniqueItems: ({ params }) => ({
    type: 'value_error',
    message: say('items_same', { first: `${params.j}`, second: `${params.i}` }),
  }),
  propertyNames: ({ params }) => ({
    type: 'value_error',
    message: say('key_not_allowed'),
    below: [String(params.propertyName)],
  }),
};

/** The client chose the name, so only one of ordinary length is compared. */
const maxNameLength = 64;

function unknownField(name: string, schema: SchemaError['parentSchema']): Wording {
  const near = name.length > maxNameLength ? undefined : nearest(name, Object.keys(schema?.properties ?? {}));
  return near === undefined ? say('field_unknown') : say('field_unknown_near', { name: near });
}

const formats: Record<string, Description> = {
  email: {
    type: 'value_error',
    message: say('email_incomplete'),
  },
  uuid: { type: 'uuid_parsing', message: say('no_uuid') },
  'date-time': {
    type: 'datetime_parsing',
    message: say('no_time'),
  },
  date: { type: 'date_parsing', message: say('no_date') },
  uri: { type: 'url_parsing', message: say('no_url') },
};

interface TypeWords {
  type: string;
  words: string;
  message: Wording;
  /** For a value that arrives as text. */
  unreadable?: Description;
}

const typeWords: Record<string, TypeWords> = {
  string: { type: 'string_type', words: 'string', message: say('no_string') },
  integer: {
    type: 'int_type',
    words: 'integer',
    message: say('no_integer'),
    unreadable: { type: 'int_parsing', message: say('integer_unreadable') },
  },
  number: {
    type: 'float_type',
    words: 'number',
    message: say('no_number'),
    unreadable: { type: 'float_parsing', message: say('number_unreadable') },
  },
  boolean: {
    type: 'bool_type',
    words: 'boolean',
    message: say('no_boolean'),
    unreadable: { type: 'bool_parsing', message: say('boolean_unreadable') },
  },
  array: { type: 'list_type', words: 'list', message: say('no_list') },
  object: { type: 'dict_type', words: 'dictionary', message: say('no_dictionary') },
  null: { type: 'none_required', words: 'null', message: say('no_null') },
};

function describe(error: SchemaError, part: Fault['in']): Description {
  const known = table[error.keyword];
  return known ? known(error, part) : { type: 'value_error', message: say('value_not_allowed') };
}

function missing(property: unknown): Description {
  return { type: 'missing', message: say('field_required'), below: [String(property)] };
}

function wrongType(schema: unknown, data: unknown, part: Fault['in']): Description {
  const allowed = [schema].flat().map(String);
  const [only, ...others] = allowed.filter((name) => name !== 'null' || allowed.length === 1);
  const word = typeWords[only ?? ''];
  if (word === undefined || others.length > 0) return severalTypes(allowed);
  if (part !== 'body' && word.unreadable !== undefined && typeof data === 'string') return word.unreadable;
  return { type: word.type, message: word.message };
}

function severalTypes(names: readonly string[]): Description {
  const words = names.map((name) => article(typeWords[name]?.words ?? name));
  return { type: 'value_error', message: `Value error, input should be ${alternatives(words)}` };
}

function literal(values: readonly unknown[]): Description {
  const expected = alternatives(
    values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))),
  );
  return { type: 'literal_error', message: say('value_not_listed', { expected }), ctx: { expected } };
}

function tooShort(kind: 'List' | 'Dictionary', min: unknown, actual: number): Description {
  const dictionary = `Dictionary should have at least ${count(min, 'item')} after validation, not ${actual}`;
  return {
    type: 'too_short',
    message: kind === 'List' ? counted(Number(min), 'list_too_short', actual) : dictionary,
    ctx: { field_type: kind, min_length: min, actual_length: actual },
  };
}

function tooLong(kind: 'List' | 'Dictionary', max: unknown, actual: number): Description {
  const dictionary = `Dictionary should have at most ${count(max, 'item')} after validation, not ${actual}`;
  return {
    type: 'too_long',
    message: kind === 'List' ? counted(Number(max), 'list_too_long', actual) : dictionary,
    ctx: { field_type: kind, max_length: max, actual_length: actual },
  };
}

/** A pattern says little to people. The schema's own description usually says what is meant. */
function withHint(message: Wording, schema: SchemaError['parentSchema']): Wording {
  const hint = schema?.description;
  if (typeof hint !== 'string') return message;
  return typeof message === 'string' ? `${message} (${hint})` : withDetail(message, hint);
}

/** The sentence for one, or that for several. */
function counted(length: number, code: `${'string' | 'list'}_too_${'short' | 'long'}`, actual = 0): Wording {
  const values = { length, count: actual };
  return length === 1 ? say(`${code}_one`, values) : say(code, values);
}

function count(number: unknown, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function article(words: string): string {
  if (words === 'null') return 'null';
  return /^[aeiou]/.test(words) ? `an ${words}` : `a ${words}`;
}

/** Returns `a, b or c`. */
function alternatives(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function lengthOf(data: unknown): number {
  return typeof data === 'object' && data !== null ? Object.keys(data).length : 0;
}

/** Returns `/items/0/name` as steps. A step into a list is a number; a key that looks like a number stays a text. */
function pathOf(pointer: string, root: unknown): (string | number)[] {
  let value = root;
  return pointer
    .split('/')
    .slice(1)
    .map((step) => {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      const isList = Array.isArray(value);
      value = (value as Record<string, unknown> | null | undefined)?.[key];
      return isList ? Number(key) : key;
    });
}

/** Returns what was sent, if it is short: an error must not answer a megabyte with a megabyte. */
function boundedInput(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= 200 ? value : `${value.slice(0, 200)}…`;
  if (typeof value !== 'object' || value === null) return value ?? null;
  const text = JSON.stringify(value);
  return text.length <= 1_000 ? value : null;
}
