import { AppError } from '../lib/app-error.ts';

/** The parser of multipart bodies cannot go on. Its own sentence is the cause. */
class MultipartFault extends Error {}

/** RFC 2046, 5.1.1. The parser itself gives up at 256. */
const maxBoundaryLength = 70;

/** Says what is wrong with the boundary of a `Content-Type`; a missing one is found by the parser. */
export function refuseLongBoundary(contentType: string): void {
  const [, quoted, plain] = /;\s*boundary\*?=(?:"([^"]*)|([^;]*))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain ?? '';
  if (boundary.length <= maxBoundaryLength) return;
  throw new AppError('body_malformed', {
    message: `The boundary of the multipart body has ${boundary.length} characters. At most ${maxBoundaryLength} are allowed.`,
  });
}

/** Marks what the parser itself throws, so that it is told from a failure of whatever takes the parts. */
export async function* parsedParts<Part>(parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  const iterator = parts[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await nextPart(iterator);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** True for a body that is no multipart body, has too many parts, or ended too soon. */
export function isMultipartFault(error: unknown): boolean {
  if (error instanceof MultipartFault) return true;
  // The file of the last part fails with the parser's error when the body breaks off inside it.
  return error instanceof Error && /Unexpected end|terminated early/i.test(error.message);
}

async function nextPart<Part>(iterator: AsyncIterator<Part>): Promise<IteratorResult<Part>> {
  try {
    return await iterator.next();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new MultipartFault('The multipart body cannot be read.', { cause: error });
  }
}
