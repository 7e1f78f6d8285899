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
 * Takes unknown keys off a body and names them in `X-Ignored-Fields`: what no schema knows cannot be obeyed by accident,
 * and whoever misspelt a key finds out. Undefined where the schema leaves nothing to ignore.
 */
export function ignoreUnknownFields(schema: unknown): preHandlerHookHandler | undefined {
  const body = schema as ObjectSchema;
  if (!isClosed(body)) return undefined;
  return (request, reply, done) => {
    const names = takeUnknownFields(request.body, body);
    if (names.length > 0)
      reply.header('x-ignored-fields', names.slice(0, maxNames).map(headerText).join(', '));
    // A body of unknown keys alone had enough of them when it was judged, and has none now.
    done(hasTooFewFields(request.body, body) ? new InvalidRequest() : undefined);
  };
}

/** Dotted names of what was removed. Goes into declared objects, not into lists and free-form ones. */
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

/** A key is whatever the caller wrote; a header takes only some of it. */
function headerText(name: string): string {
  return encodeURIComponent(name).slice(0, 100);
}
