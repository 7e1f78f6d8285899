import { randomUUID } from 'node:crypto';
import { link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { folderInside, isPlainName, UnsafePathError } from '../files/safe-path.ts';
import { type FileArea, fileAreas, hashOfFile, type WorkerFiles } from '../files/worker-files.ts';
import { MalformedBody } from './byte-reader.ts';
import { type Call, type Route, sendJson } from './call.ts';
import { HttpError, serverTrouble } from './http-error.ts';
import { maskedOriginal } from './masked-original.ts';
import { readMultipart } from './multipart.ts';
import { limitedBody } from './request-body.ts';

/** Each further upload of a name has to check all earlier ones. */
const maxNamesakes = 1000;

interface Upload {
  fields: Map<string, string>;
  filename: string;
  /** The temporary file with the bytes until they have their place. */
  partPath: string;
}

export function uploadRoutes({
  files,
  limits,
}: {
  files: WorkerFiles;
  limits: { maxUploadBytes: number; maxFramePixels: number };
}): Route[] {
  async function uploadImage(call: Call): Promise<void> {
    await withUpload(call, (upload) => place(upload, { files, path: upload.partPath }));
  }

  /** Keeps the original's colours and takes the upload's alpha. */
  async function uploadMask(call: Call): Promise<void> {
    await withUpload(call, async (upload) => {
      const path = await maskedOriginal(upload.fields.get('original_ref'), {
        files,
        maskPath: upload.partPath,
        maxPixels: limits.maxFramePixels,
      });
      return await place(upload, { files, path }).finally(() => rm(path, { force: true }));
    });
  }

  async function withUpload(call: Call, finish: (upload: Upload) => Promise<unknown>): Promise<void> {
    const partPath = join(files.partsFolder, randomUUID());
    try {
      sendJson(call, await finish(await receive(call, partPath)));
    } catch (error) {
      if (error instanceof UnsafePathError || error instanceof MalformedBody)
        throw new HttpError(400, error.message);
      throw error;
    } finally {
      await rm(partPath, { force: true });
    }
  }

  async function receive({ request }: Call, partPath: string): Promise<Upload> {
    let filename: string | undefined;
    const fields = await readMultipart(limitedBody(request, limits.maxUploadBytes), {
      contentType: request.headers['content-type'],
      onFile: async (part) => {
        const isWanted = part.name === 'image' && filename === undefined;
        if (isWanted) filename = part.filename;
        // Other files are read and dropped.
        if (isWanted) await store(part.content, partPath);
        else for await (const _ of part.content);
      },
    });
    if (filename === undefined || filename === '')
      throw new HttpError(400, 'Send a file in the part "image".');
    if (!isPlainName(filename))
      throw new HttpError(400, 'The file name must be a plain name without folders.');
    return { fields, filename, partPath };
  }

  return [
    { method: 'POST', path: '/upload/image', handle: uploadImage },
    { method: 'POST', path: '/upload/mask', handle: uploadMask },
  ];
}

/**
 * The same name with the same bytes is the same file. The same name with other bytes becomes "a (1).png", unless the
 * request asks to overwrite.
 */
async function place(
  { fields, filename }: Upload,
  { files, path }: { files: WorkerFiles; path: string },
): Promise<{ name: string; subfolder: string; type: FileArea }> {
  const type = areaOf(fields.get('type'));
  const subfolder = fields.get('subfolder') ?? '';
  const folder = await folderInside(files.folder(type), subfolder);
  await mkdir(folder, { recursive: true });
  if (fields.get('overwrite') === 'true' || fields.get('overwrite') === '1') {
    await rename(path, join(folder, filename));
    return { name: filename, subfolder, type };
  }
  const { name: stem, ext } = parse(filename);
  for (let count = 0; count < maxNamesakes; count += 1) {
    const name = count === 0 ? filename : `${stem} (${count})${ext}`;
    if ((await linkNew(path, join(folder, name))) || (await isSame(path, join(folder, name))))
      return { name, subfolder, type };
  }
  throw new HttpError(400, `${maxNamesakes} files are called ${filename} already. Choose another name.`);
}

/** Creates the file before the first byte: a file that is opened later could appear after the cleanup. */
async function store(content: AsyncIterable<Buffer>, path: string): Promise<void> {
  const file = await open(path, 'wx');
  await pipeline(content, file.createWriteStream());
}

function areaOf(type: string | undefined): FileArea {
  const area = fileAreas.find((known) => known === (type ?? 'input'));
  if (area === undefined) throw new HttpError(500, serverTrouble);
  return area;
}

/** Atomic: when two uploads use one name at once, only one gets it. */
async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function isSame(left: string, right: string): Promise<boolean> {
  if ((await stat(left)).size !== (await stat(right)).size) return false;
  return (await hashOfFile(left)) === (await hashOfFile(right));
}
