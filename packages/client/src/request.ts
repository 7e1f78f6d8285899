import type { Endpoint } from '@switchyard/contract/endpoint';

export interface OutgoingRequest {
  method: Endpoint['method'];
  /** The path below the address of the gateway, with its query. */
  path: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body?: string | FormData | ReadableStream<Uint8Array>;
}

interface RequestParts {
  params?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, unknown>>;
  body?: unknown;
}

/** Builds the request from an endpoint's constant and the caller's values. */
export function buildRequest(
  { method, url }: Pick<Endpoint, 'method' | 'url'>,
  parts: RequestParts,
): OutgoingRequest {
  const hasBody = parts.body !== undefined;
  return {
    method,
    path: fillPath(url, parts.params ?? {}) + queryOf(parts.query ?? {}),
    headers: { ...(hasBody && { 'content-type': 'application/json' }), ...headersOf(parts.headers ?? {}) },
    ...(hasBody && { body: JSON.stringify(parts.body) }),
  };
}

function fillPath(url: string, params: Readonly<Record<string, unknown>>): string {
  return url.replace(/:(\w+)|\*$/g, (found, name?: string) => {
    if (name !== undefined) return segmentOf(params[name], name);
    // The star stands for a path, and each part of that path is encoded as a segment.
    const path = String(params[found] ?? '');
    return path
      .split('/')
      .map((part) => segmentOf(part, 'A part of the path'))
      .join('/');
  });
}

function segmentOf(given: unknown, name: string): string {
  const value = String(given ?? '');
  // A dot segment would be resolved away, and the request would go to another endpoint.
  if (value === '' || value === '.' || value === '..') {
    throw new RangeError(`${name} cannot be "${value}".`);
  }
  return encodeURIComponent(value);
}

function queryOf(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const pairs = given.flatMap(([name, value]) =>
    [value].flat().map((item): [string, string] => [name, String(item)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

function headersOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), String(value)]));
}
