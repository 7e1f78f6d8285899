import { isRecord } from '@switchyard/contract/is-record';
import type { FieldSpec } from '../../../kit/fields/field-spec.ts';

type Json = Record<string, unknown>;

/** A form shows so many; a graph with more of them takes the rest from its defaults. */
const maxFields = 60;

/** The fields of a form for what this JSON Schema describes. They begin with the values that are given. */
export function fieldsOf(schema: unknown, given: Json = {}): FieldSpec[] {
  const whole = resolved(schema, schema);
  const properties = isRecord(whole.properties) ? whole.properties : {};
  const required = Array.isArray(whole.required) ? whole.required : [];
  return Object.entries(properties)
    .slice(0, maxFields)
    .map(([name, property]) => {
      const field = resolved(property, schema);
      const value = given[name] ?? field.default;
      return fieldOf(name, { field, value, optional: !required.includes(name) || value !== undefined });
    });
}

/** The form of a graph's input. An input without a description is one field of JSON. */
export function inputFields(schema: unknown): { list: FieldSpec[]; inputOf: (params: Json) => unknown } {
  if (isRecord(resolved(schema, schema).properties))
    return { list: fieldsOf(schema), inputOf: (params) => params };
  const whole = fieldOf('input', { field: { type: 'object' }, value: {}, optional: false });
  return { list: [whole], inputOf: ({ input = {} }) => input };
}

/**
 * Returns whether the graph takes messages: its input has a list of them. A list of anything else under that name does
 * not count.
 */
export function takesMessages(schema: unknown): boolean {
  const { properties } = resolved(schema, schema);
  const messages = resolved(isRecord(properties) ? properties.messages : null, schema);
  if (messages.langgraph_type === 'messages') return true;
  const { items } = messages;
  if (!isRecord(items)) return false;
  return 'anyOf' in items || 'oneOf' in items || resolved(items, schema).type === 'object';
}

const plainTypes = new Set(['string', 'number', 'integer', 'boolean']);

function fieldOf(
  name: string,
  { field, value, optional }: { field: Json; value: unknown; optional: boolean },
): FieldSpec {
  const choices = choicesIn(field);
  const type = choices === null ? typeOf(field) : 'choice';
  return {
    name,
    label: textIn(field.title) ?? name,
    description: textIn(field.description),
    type,
    required: !optional,
    optional,
    default: value === undefined ? emptyOf(type) : enteredOf(type, value),
    minimum: numberIn(field.minimum),
    maximum: numberIn(field.maximum),
    choices,
    multiline: type === 'string' && field.format === undefined && !isShort(field),
    hidden: false,
  };
}

/** A field without a type may be text, which needs no quotation marks. */
function typeOf({ type, anyOf, enum: values }: Json): FieldSpec['type'] {
  if (plainTypes.has(String(type))) return type as FieldSpec['type'];
  return type === undefined && anyOf === undefined && values === undefined ? 'value' : 'json';
}

function choicesIn({ enum: values }: Json): string[] | null {
  const isText =
    Array.isArray(values) && values.length > 0 && values.every((each) => typeof each === 'string');
  return isText ? values : null;
}

function enteredOf(type: FieldSpec['type'], value: unknown): unknown {
  const isJson = type === 'json' || (type === 'value' && typeof value !== 'string');
  return isJson ? JSON.stringify(value, null, 2) : value;
}

function emptyOf(type: FieldSpec['type']): unknown {
  return type === 'boolean' ? false : null;
}

function isShort({ maxLength }: Json): boolean {
  return typeof maxLength === 'number' && maxLength <= 100;
}

/** The schema that a reference within the whole names, and the one beside null where null is allowed. */
function resolved(part: unknown, whole: unknown, depth = 0): Json {
  if (!isRecord(part) || depth > 8) return {};
  const { $ref: ref, anyOf, ...rest } = part;
  if (typeof ref === 'string' && ref.startsWith('#/')) {
    const found = ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, step) => (isRecord(at) ? at[step] : undefined), whole);
    return { ...resolved(found, whole, depth + 1), ...rest };
  }
  if (!Array.isArray(anyOf)) return part;
  const others = anyOf.filter((each) => !isRecord(each) || each.type !== 'null');
  return others.length === 1 ? { ...resolved(others[0], whole, depth + 1), ...rest } : part;
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function numberIn(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
