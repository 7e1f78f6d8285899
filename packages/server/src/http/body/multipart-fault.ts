import { AppError } from '../../lib/app-error.ts';

/** The parser of multipart bodies cannot continue. Its own error is the cause. */
class MultipartFault extends Error {}

/** RFC 2046, 5.1.1. The parser itself gives up at 256. */
const maxBoundaryLength = 70;

/** Refuses a `Content-Type` whose boundary is too long. The parser detects a missing one. */
export function refuseLongBoundary(contentType: string): void {
  const [, quoted, plain] = /;\s*boundary\*?=(?:"([^"]*)|([^;]*))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain ?? '';
  if (boundary.length <= maxBoundaryLength) return;
  throw new AppError('body_malformed', {
    message: `The boundary of the multipart body has ${boundary.length} characters. At most ${maxBoundaryLength} are allowed.`,
  });
}

/** Marks errors of the parser itself, so that they differ from failures of the code that takes the parts. */
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

/** Returns true for a body that is not a multipart body, has too many parts, or ended too soon. */
export function isMultipartFault(error: unknown): boolean {
  if (error instanceof MultipartFault) return true;
  // When the body breaks off inside the last part, its file fails with the parser's error.
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
