import type { Readable } from 'node:stream';
import { isMultipartFault, parsedParts } from '../../http/body/multipart-fault.ts';
import { AppError } from '../../lib/app-error.ts';
import type { StoredContent } from '../../platform/files/blob-store.ts';

/** One part of a multipart body, as its parser returns it. */
export type UploadPart =
  | { type: 'file'; fieldname: string; filename: string | undefined; file: Readable }
  | { type: 'field'; fieldname: string };

export interface ReceivedUpload {
  filename: string;
  content: StoredContent;
}

/** Reads a body that must contain exactly one part, named `file`, with a filename; anything else is refused. */
export async function receiveUpload(
  parts: AsyncIterable<UploadPart>,
  receive: (source: Readable) => Promise<StoredContent>,
): Promise<ReceivedUpload> {
  try {
    return await readParts(parsedParts(parts), receive);
  } catch (error) {
    throw isMultipartFault(error) ? new AppError('file_part_invalid', { cause: error }) : error;
  }
}

async function readParts(
  parts: AsyncIterable<UploadPart>,
  receive: (source: Readable) => Promise<StoredContent>,
): Promise<ReceivedUpload> {
  let received: ReceivedUpload | undefined;
  for await (const part of parts) {
    if (received) {
      const message = 'There is more than one part. Send one file at a time.';
      throw new AppError('file_part_invalid', { message });
    }
    if (part.type !== 'file' || part.fieldname !== 'file' || !part.filename) {
      throw new AppError('file_part_invalid');
    }
    received = { filename: part.filename, content: await receive(part.file) };
  }
  if (!received) throw new AppError('file_part_invalid');
  return received;
}
