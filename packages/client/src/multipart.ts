interface FilePart {
  filename: string;
  contentType: string;
}

/** A `multipart/form-data` body with one part named `file`, for content that is read while it is sent. */
export function multipartBody(
  content: AsyncIterable<Uint8Array>,
  { filename, contentType }: FilePart,
): { contentType: string; chunks: AsyncGenerator<Uint8Array, void, undefined> } {
  const boundary = `switchyard-${crypto.randomUUID()}`;
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="file"; filename="${escapeName(filename)}"`,
    `Content-Type: ${contentType}`,
    '\r\n',
  ].join('\r\n');
  const tail = `\r\n--${boundary}--\r\n`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    chunks: between(head, content, tail),
  };
}

async function* between(
  head: string,
  content: AsyncIterable<Uint8Array>,
  tail: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  yield encoder.encode(head);
  yield* content;
  yield encoder.encode(tail);
}

/** A quoted string of RFC 2183, which arrives as it was; the %22 that browsers write for a quote does not. */
function escapeName(filename: string): string {
  return filename.replace(/["\\]/g, '\\$&').replace(/[\r\n]+/g, ' ');
}
