/** The request as the client sent it. */
interface Received {
  method: string;
  url: string;
  body: unknown;
  raw: { rawHeaders: readonly string[] };
}

/** Says to the app who is calling. A header of this name that the client sends is not passed on. */
export const userHeader = 'x-switchyard-user';

/** They describe the connection to the gateway, or the body as it was sent. */
const connectionHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  userHeader,
]);

/** Makes the request that an operator's own code gets: its own path, the headers of the client, the body as it came. */
export function webRequestOf(
  request: Received,
  options: {
    /** The origin under which the client reached the gateway; undefined when the request does not show it. */
    origin: string | undefined;
    /** Left out of the path that the app sees. */
    prefix: string;
    /** Null while it is not known who is calling. */
    userId: string | null;
    signal: AbortSignal;
  },
): Request {
  const { origin = 'http://localhost', prefix, userId, signal } = options;
  const { method, body } = request;
  const headers = headersOf(request.raw.rawHeaders);
  if (userId !== null) headers.set(userHeader, userId);
  const takesBody = method !== 'GET' && method !== 'HEAD' && Buffer.isBuffer(body);
  return new Request(new URL(origin + pathBelow(prefix, request.url)), {
    method,
    headers,
    signal,
    ...(takesBody && { body: new Uint8Array(body) }),
  });
}

/** The router reads an escaped letter as the letter, so the prefix may be spelled with escapes. */
function pathBelow(prefix: string, url: string): string {
  const spelled = url.startsWith(prefix) ? url : decodeURI(url);
  return spelled.slice(prefix.length);
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? '';
    if (!connectionHeaders.has(name.toLowerCase())) headers.append(name, raw[index + 1] ?? '');
  }
  return headers;
}
