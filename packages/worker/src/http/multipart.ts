import { ByteReader, MalformedBody } from './byte-reader.ts';

const maxParts = 32;
const maxHeaderBytes = 16 * 1024;
const maxFieldBytes = 64 * 1024;
const headerEnd = Buffer.from('\r\n\r\n');

export interface FilePart {
  name: string;
  filename: string;
  /** The caller has to read it to its end before it asks for the next part. */
  content: AsyncIterable<Buffer>;
}

/** Reads a multipart/form-data body as it arrives: files go to `onFile`, fields come back. A later field wins. */
export async function readMultipart(
  body: AsyncIterable<Buffer>,
  { contentType, onFile }: { contentType: string | undefined; onFile: (part: FilePart) => Promise<void> },
): Promise<Map<string, string>> {
  const boundary = boundaryOf(contentType);
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const reader = new ByteReader(body, Buffer.from('\r\n'));
  const fields = new Map<string, string>();
  await reader.textUntil(delimiter, maxHeaderBytes);
  for (let count = 0; !(await isLast(reader)); count += 1) {
    if (count >= maxParts) throw new MalformedBody(`A form may have at most ${maxParts} parts.`);
    const part = parseHeaders(await reader.textUntil(headerEnd, maxHeaderBytes));
    if (part.filename === undefined) fields.set(part.name, await reader.textUntil(delimiter, maxFieldBytes));
    else await onFile({ name: part.name, filename: part.filename, content: reader.until(delimiter) });
  }
  return fields;
}

function boundaryOf(contentType: string | undefined): string {
  const match = /^multipart\/form-data\s*;.*?\bboundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType ?? '');
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined || boundary.length > 200)
    throw new MalformedBody('Send multipart/form-data with a boundary.');
  return boundary;
}

/** A delimiter is followed by a line end before the next part, or by two dashes after the last part. */
async function isLast(reader: ByteReader): Promise<boolean> {
  const mark = await reader.take(2);
  if (mark === '--') return true;
  if (mark === '\r\n') return false;
  throw new MalformedBody('A part does not end with its boundary.');
}

function parseHeaders(text: string): { name: string; filename: string | undefined } {
  const disposition = text.split('\r\n').find((line) => /^content-disposition\s*:/i.test(line)) ?? '';
  const name = parameter(disposition, 'name');
  if (!/^content-disposition\s*:\s*form-data\b/i.test(disposition) || name === undefined)
    throw new MalformedBody('A part has no Content-Disposition: form-data with a name.');
  return { name, filename: extendedParameter(disposition, 'filename') ?? parameter(disposition, 'filename') };
}

function parameter(header: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i').exec(header);
  const quoted = match?.[1]?.replace(/\\(["\\])/g, '$1');
  return (quoted ?? match?.[2])?.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n');
}

/** `filename*=UTF-8''na%C3%AFve.png` */
function extendedParameter(header: string, name: string): string | undefined {
  const encoded = new RegExp(`;\\s*${name}\\*=UTF-8''([^;\\s]+)`, 'i').exec(header)?.[1];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new MalformedBody('A file name is not encoded as it says.');
  }
}
