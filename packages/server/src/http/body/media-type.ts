import type { FastifyRequest, preParsingHookHandler } from 'fastify';
import { AppError } from '../../lib/app-error.ts';
import { identityOf } from '../access/guard.ts';
import { refuseLongBoundary } from './multipart-fault.ts';

/**
 * Refuses a body whose type the endpoint does not name. Together with one parser per type this ensures that a body is
 * read as the type that was checked: no odd spelling, no second header, no compression.
 */
export function requireMediaType({
  accepted,
  untypedJson,
}: {
  accepted: readonly string[];
  untypedJson: boolean;
}): preParsingHookHandler {
  const isMultipart = accepted.includes('multipart/form-data');
  const sentence = `Send ${accepted.join(' or ')}.`;
  return (request, _reply, payload, done) => {
    if (!hasBody(request)) return done(null, payload);
    const problem = problemOf(request, untypedJson ? withUntyped(request, accepted) : accepted);
    if (problem !== undefined) {
      return done(new AppError('media_type_unsupported', { message: `${problem} ${sentence}` }), payload);
    }
    try {
      if (isMultipart) refuseLongBoundary(request.headers['content-type'] ?? '');
      done(null, payload);
    } catch (error) {
      done(error as Error, payload);
    }
  };
}

/** The types that a caller may send, among them `text/plain` and no type (null) when a header holds the credential. */
function withUntyped(request: FastifyRequest, accepted: readonly string[]): readonly (string | null)[] {
  return accepted.includes('application/json') && identityOf(request).via !== 'cookie'
    ? [...accepted, 'text/plain', null]
    : accepted;
}

function problemOf(request: FastifyRequest, accepted: readonly (string | null)[]): string | undefined {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return 'Bodies must not be compressed.';
  if (countHeader(request.raw.rawHeaders, 'content-type') > 1) return 'There are two Content-Type headers.';
  const { mediaType } = request;
  if (request.headers['content-type'] === undefined && accepted.includes(null)) return undefined;
  if (mediaType === undefined) return 'The Content-Type is missing or cannot be read.';
  return accepted.includes(mediaType) ? undefined : `A body of type ${mediaType} is not understood here.`;
}

function hasBody({ headers }: FastifyRequest): boolean {
  return (
    headers['transfer-encoding'] !== undefined ||
    (headers['content-length'] !== undefined && headers['content-length'] !== '0')
  );
}

/** Node keeps the first of two headers, but a proxy in front may have used the second. */
function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === name) count++;
  return count;
}
