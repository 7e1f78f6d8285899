import { randomId } from './random-id.ts';

interface FilePart {
  filename: string;
  contentType: string;
  /** The size of the content, if it is known. */
  sizeBytes: number | undefined;
}

/** A `multipart/form-data` body with one part named `file`, for content that is read while it is sent. */
export function multipartBody(
  content: AsyncIterable<Uint8Array>,
  { filename, contentType, sizeBytes }: FilePart,
): { headers: Record<string, string>; chunks: AsyncGenerator<Uint8Array, void, undefined> } {
  const boundary = `switchyard-${randomId()}`;
  const encoder = new TextEncoder();
  const head = encoder.encode(
    [
      `--${boundary}`,
      `Content-Disposition: form-data; name="file"; filename="${escapeName(filename)}"`,
      `Content-Type: ${contentType}`,
      '\r\n',
    ].join('\r\n'),
  );
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`);
  const headers = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    ...(sizeBytes !== undefined && { 'content-length': String(head.length + sizeBytes + tail.length) }),
  };
  return { headers, chunks: between(head, content, tail) };
}

async function* between(
  head: Uint8Array,
  content: AsyncIterable<Uint8Array>,
  tail: Uint8Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield head;
  yield* content;
  yield tail;
}

/** A quoted string of RFC 2183, which arrives unchanged. The %22 that browsers write for a quote would not. */
function escapeName(filename: string): string {
  return filename.replace(/["\\]/g, '\\$&').replace(/[\r\n]+/g, ' ');
}
