import type { Readable } from 'node:stream';
import { isMultipartFault, parsedParts } from '../../http/body/multipart-fault.ts';
import { AppError } from '../../lib/app-error.ts';
import type { StoredContent } from '../../platform/files/blob-store.ts';
import { type FolderType, isFolderType } from './comfyui-names.ts';

export type PicturePart =
  | { type: 'file'; fieldname: string; filename: string | undefined; file: Readable }
  | { type: 'field'; fieldname: string; value: unknown };

export interface ReceivedPicture {
  filename: string;
  content: StoredContent;
  subfolder: string;
  folder: FolderType;
  overwrite: boolean;
  /** The picture to which a mask belongs, as JSON. */
  originalRef: unknown;
}

/** Reads one part named `image` and the fields beside it, in any order. */
export async function receivePicture(
  parts: AsyncIterable<PicturePart>,
  receive: (source: Readable) => Promise<StoredContent>,
): Promise<ReceivedPicture> {
  try {
    return await readParts(parsedParts(parts), receive);
  } catch (error) {
    throw isMultipartFault(error) ? noPicture(error) : error;
  }
}

async function readParts(
  parts: AsyncIterable<PicturePart>,
  receive: (source: Readable) => Promise<StoredContent>,
): Promise<ReceivedPicture> {
  const fields = new Map<string, unknown>();
  let image: Pick<ReceivedPicture, 'filename' | 'content'> | undefined;
  for await (const part of parts) {
    if (part.type === 'field') fields.set(part.fieldname, part.value);
    else if (part.fieldname === 'image' && part.filename && !image)
      image = { filename: part.filename, content: await receive(part.file) };
    else throw noPicture();
  }
  if (!image) throw noPicture();
  const folder = fields.get('type');
  const subfolder = fields.get('subfolder');
  return {
    ...image,
    subfolder: typeof subfolder === 'string' ? subfolder : '',
    folder: isFolderType(folder) ? folder : 'input',
    originalRef: fields.get('original_ref'),
    overwrite: ['true', '1'].includes(String(fields.get('overwrite'))),
  };
}

function noPicture(cause?: unknown): AppError {
  return new AppError('body_malformed', { message: 'Send one picture in a part named image.', cause });
}
