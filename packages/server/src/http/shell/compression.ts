import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isForPlatformClient } from '../access/guard.ts';
import type { App } from '../app.ts';

export type Encoding = 'br' | 'gzip';

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** For smaller texts, the overhead of compression is larger than the bytes that it saves. */
const minBytes = 1_024;
const compressible =
  /^(?:application\/(?:[\w.+-]*\+)?json|text\/(?!event-stream)|application\/javascript|image\/svg\+xml)/;

/**
 * Compresses complete texts. A stream is never compressed, because its frames would wait in the compressor's window. LangGraph's own
 * server compresses nothing, and clients of it, such as its passthrough for pages, hand the header on beside an unpacked body.
 */
export function addCompression(app: App): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isWorthIt(request, reply, payload)) return done(null, payload);
    varyByEncoding(reply);
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    if (encoding === undefined) return done(null, payload);
    compress(encoding, payload).then((body) => {
      reply.header('content-encoding', encoding);
      reply.removeHeader('content-length');
      done(null, body);
    }, done);
  });
}

/** Tells caches that another client may get other bytes. */
export function varyByEncoding(reply: FastifyReply): void {
  const vary = reply.getHeader('vary');
  if (String(vary ?? '').includes('Accept-Encoding')) return;
  reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`);
}

function isWorthIt(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): payload is string | Buffer {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return false;
  if (payload.length < minBytes || request.method === 'HEAD') return false;
  if (reply.hasHeader('content-encoding') || reply.statusCode === 206) return false;
  if (isForPlatformClient(request)) return false;
  return compressible.test(String(reply.getHeader('content-type') ?? ''));
}

function compress(encoding: Encoding, payload: string | Buffer): Promise<Buffer> {
  // Quality 4 compresses as well as gzip in half its time.
  return encoding === 'br'
    ? brotli(payload, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
    : zip(payload);
}

/** Smaller and slower, for a text that is compressed once and sent often. */
export function compressWell(encoding: Encoding, text: string | Buffer): Promise<Buffer> {
  return encoding === 'br'
    ? brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
    : zip(text, { level: constants.Z_BEST_COMPRESSION });
}

/** Returns undefined when the client accepts neither. */
export function chooseEncoding(header: string | string[] | undefined): Encoding | undefined {
  const accepted = new Set<string>();
  for (const item of String(header ?? '')
    .slice(0, 500)
    .split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    if (!parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) accepted.add(name);
  }
  if (accepted.has('br')) return 'br';
  return accepted.has('gzip') || accepted.has('*') ? 'gzip' : undefined;
}
