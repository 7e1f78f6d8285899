import type { preHandlerHookHandler } from 'fastify';
import { InvalidRequest } from './validation.ts';

/** More names would only lengthen the header. */
const maxNames = 20;

interface ObjectSchema {
  properties?: Record<string, ObjectSchema>;
  additionalProperties?: unknown;
  patternProperties?: unknown;
  minProperties?: number;
}

/**
 * Removes unknown keys from a body and names them in `X-Ignored-Fields`. No code can then use a key by accident that
 * the schema does not know, and a client that misspelt a key finds out. Returns undefined when the schema leaves
 * nothing to ignore.
 */
export function ignoreUnknownFields(schema: unknown): preHandlerHookHandler | undefined {
  const body = schema as ObjectSchema;
  if (!isClosed(body)) return undefined;
  return (request, reply, done) => {
    const names = takeUnknownFields(request.body, body);
    if (names.length > 0)
      reply.header('x-ignored-fields', names.slice(0, maxNames).map(headerText).join(', '));
    // A body with only unknown keys had enough of them when it was validated, and has none now.
    done(hasTooFewFields(request.body, body) ? new InvalidRequest() : undefined);
  };
}

/** Returns the dotted names of the removed keys. It enters declared objects, but not lists and free-form objects. */
function takeUnknownFields(value: unknown, schema: ObjectSchema, prefix = ''): string[] {
  if (!isClosed(schema) || typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const fields = value as Record<string, unknown>;
  return Object.keys(fields).flatMap((key) => {
    const known = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
    if (known) return takeUnknownFields(fields[key], known, `${prefix}${key}.`);
    delete fields[key];
    return [`${prefix}${key}`];
  });
}

function hasTooFewFields(value: unknown, { minProperties = 0 }: ObjectSchema): boolean {
  return Object.keys(value ?? {}).length < minProperties;
}

function isClosed(
  schema: ObjectSchema,
): schema is ObjectSchema & { properties: Record<string, ObjectSchema> } {
  return (
    schema.properties !== undefined &&
    schema.patternProperties === undefined &&
    (schema.additionalProperties === undefined || schema.additionalProperties === false)
  );
}

/** The caller chose the key. A header can hold only some characters of it. */
function headerText(name: string): string {
  return encodeURIComponent(name).slice(0, 100);
}
