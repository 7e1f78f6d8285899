import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import { openPicture } from '../files/picture.ts';
import { UnsafePathError } from '../files/safe-path.ts';
import { fileAreas, splitAnnotation, type WorkerFiles } from '../files/worker-files.ts';
import { isRecord } from '../prompt/graph.ts';
import { HttpError } from './http-error.ts';

/** Writes the original image with the alpha of the mask as PNG, and returns its place. */
export async function maskedOriginal(
  reference: string | undefined,
  { files, maskPath, maxPixels }: { files: WorkerFiles; maskPath: string; maxPixels: number },
): Promise<string> {
  const colours = await rawRgba(await findOriginal(reference, files), maxPixels);
  const mask = await rawRgba(maskPath, maxPixels);
  const { width, height } = colours.info;
  if (mask.info.width !== width || mask.info.height !== height)
    throw new HttpError(
      400,
      `The mask is ${mask.info.width} × ${mask.info.height}, the original ${width} × ${height}.`,
    );
  for (let at = 3; at < colours.data.length; at += 4) colours.data[at] = mask.data[at] as number;
  const path = join(files.partsFolder, randomUUID());
  await sharp(colours.data, { raw: { width, height, channels: 4 } })
    .png({ compressionLevel: 4 })
    .toFile(path);
  return path;
}

async function rawRgba(path: string, maxPixels: number) {
  const picture = await openPicture(path, { limitInputPixels: maxPixels });
  return await picture
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
}

async function findOriginal(reference: string | undefined, files: WorkerFiles): Promise<string> {
  const parsed = parseReference(reference);
  const { path, type } = splitAnnotation(String(parsed.filename ?? ''));
  if (path === '' || path.startsWith('/') || path.includes('..'))
    throw new HttpError(400, 'original_ref.filename is not a plain name.');
  const area = type ?? fileAreas.find((known) => known === (parsed.type ?? 'output'));
  if (area === undefined) throw new HttpError(400, 'original_ref.type must be input, output or temp.');
  try {
    const found = await files.find({
      filename: basename(path),
      subfolder: String(parsed.subfolder ?? ''),
      type: area,
    });
    if (found === undefined) throw new HttpError(400, 'original_ref names no file of this worker.');
    return found;
  } catch (error) {
    if (error instanceof UnsafePathError) throw new HttpError(403, error.message);
    throw error;
  }
}

function parseReference(text: string | undefined): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text ?? '');
    if (isRecord(parsed)) return parsed;
  } catch {
    // Answers in the same way as for JSON of another shape.
  }
  throw new HttpError(400, 'original_ref must be a JSON object with a filename.');
}
