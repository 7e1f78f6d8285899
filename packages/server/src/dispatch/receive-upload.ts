import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../lib/app-error.ts';
import type { StoredContent } from '../platform/files/write-blob.ts';

interface ReceivedUpload {
  filename: string;
  content: StoredContent;
}

/** Reads a body that must hold exactly one part, named `file`, with a filename; anything else is refused. */
export async function receiveUpload(
  request: FastifyRequest,
  receive: (source: Readable, signal: AbortSignal) => Promise<StoredContent>,
): Promise<ReceivedUpload> {
  const gone = new AbortController();
  const onClose = (): void => {
    if (!request.raw.complete)
      gone.abort(new AppError('body_malformed', { message: 'The upload was cut off.' }));
  };
  request.raw.once('close', onClose);
  try {
    return await readParts(request, (source) => receive(source, gone.signal));
  } catch (error) {
    throw isMultipartFault(error) ? new AppError('file_part_invalid', { cause: error }) : error;
  } finally {
    request.raw.off('close', onClose);
  }
}

async function readParts(
  request: FastifyRequest,
  receive: (source: Readable) => Promise<StoredContent>,
): Promise<ReceivedUpload> {
  let received: ReceivedUpload | undefined;
  for await (const part of request.parts()) {
    if (received)
      throw new AppError('file_part_invalid', {
        message: 'There is more than one part. Send one file at a time.',
      });
    if (part.type !== 'file' || part.fieldname !== 'file' || !part.filename)
      throw new AppError('file_part_invalid');
    received = { filename: part.filename, content: await receive(part.file) };
  }
  if (!received) throw new AppError('file_part_invalid');
  return received;
}

/** What the parser of multipart bodies says: too many parts, a broken boundary, an end that came too soon. */
function isMultipartFault(error: unknown): boolean {
  if (error instanceof AppError || !(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return code.startsWith('FST_') || /multipart|boundary|Unexpected end/i.test(error.message);
}
