import type { Operation, Schema } from './openapi.ts';

/** The page's script replaces this by the address of the gateway. */
const exampleOrigin = 'http://127.0.0.1:7300';

/** Returns a command that can be pasted. Required fields have the plainest value that fits. */
export function curlExample(method: string, path: string, operation: Operation): string {
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoteAddress(exampleOrigin + examplePath(path, operation))}`,
  ];
  if (operation.security.length > 0) lines.push('-H "Authorization: Bearer $TOKEN"');
  const [mediaType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (mediaType !== undefined && content !== undefined) lines.push(...bodyLines(mediaType, content.schema));
  return lines.join(' \\\n  ');
}

function examplePath(path: string, { parameters }: Operation): string {
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleValue(schema)))}`);
  const filled = path.replace(
    /\{(\w+)\}/g,
    (_match, name: string) => `$${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`,
  );
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

function quoteAddress(address: string): string {
  return /[$?&]/.test(address) ? `"${address}"` : address;
}

function bodyLines(mediaType: string, schema: Schema): string[] {
  if (mediaType === 'multipart/form-data') return ['-F file=@picture.png'];
  const example = exampleValue(schema);
  if (mediaType === 'application/x-www-form-urlencoded') {
    return Object.entries(example as object).map(
      ([name, value]) => `--data-urlencode ${name}=${String(value)}`,
    );
  }
  if (mediaType !== 'application/json') return ['--data-binary @file'];
  return [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(example)}'`];
}

/** Returns the schema's own example or default, or else the smallest value of its type. */
export function exampleValue(schema: Schema): unknown {
  const {
    examples,
    anyOf,
    properties = {},
    required = [],
    items,
  } = schema as {
    examples?: unknown[];
    anyOf?: Schema[];
    properties?: Record<string, Schema>;
    required?: readonly string[];
    items?: Schema;
  };
  const given =
    examples?.[0] ?? schema.default ?? schema.const ?? (schema.enum as unknown[] | undefined)?.[0];
  if (given !== undefined) return given;
  if (anyOf?.[0]) return exampleValue(anyOf[0]);
  const type = [schema.type].flat()[0];
  if (type === 'object') {
    const known = required.filter((name) => properties[name]);
    return Object.fromEntries(known.map((name) => [name, exampleValue(properties[name] ?? {})]));
  }
  if (type === 'array') return items && Number(schema.minItems ?? 0) > 0 ? [exampleValue(items)] : [];
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  return type === 'boolean' ? true : '…';
}
