import { Readable } from 'node:stream';
import {
  comfyuiFolderFiles,
  comfyuiUpload,
  comfyuiUploadMask,
  comfyuiView,
} from '@switchyard/contract/doors/comfyui';
import { isRecord } from '@switchyard/contract/is-record';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendFile, storedFileHeaders } from '../../dispatch/files/file-routes.ts';
import type { StoredFiles } from '../../dispatch/files/stored-files.ts';
import type { StoredPictures } from '../../dispatch/files/stored-pictures.ts';
import { type Guard, identityOf } from '../../http/access/guard.ts';
import type { App } from '../../http/app.ts';
import { watchUpload } from '../../http/body/watch-upload.ts';
import { AppError } from '../../lib/app-error.ts';
import { requireFits } from '../../platform/files/receive-content.ts';
import { answerRange } from '../../platform/files/serve-range.ts';
import type { PictureForm } from '../../platform/pictures/convert-picture.ts';
import { comfyuiRoute, malformed } from './comfyui-endpoint-routes.ts';
import type { ComfyuiFiles } from './comfyui-files.ts';
import { type ComfyuiFileName, isFolderType, leadsOut, readFileName } from './comfyui-names.ts';
import { type ReceivedPicture, receivePicture } from './receive-picture.ts';

export interface FileRoutesOptions {
  files: ComfyuiFiles;
  storedFiles: Pick<StoredFiles, 'receive' | 'requireRoom'>;
  pictures: StoredPictures;
  guard: Pick<Guard, 'originOf'>;
  uploadBytes: number;
}

/** Boundaries, part headers and fields around one file. */
const envelopeBytes = 16 * 1024;
const defaultQuality = 90;

export function addFiles(app: App, options: FileRoutesOptions): void {
  const { files, pictures, uploadBytes } = options;
  const limits = { bodyLimit: uploadBytes + envelopeBytes };

  app.route(
    comfyuiRoute(comfyuiView, async (request, reply) => {
      const {
        filename,
        subfolder = '',
        type = 'output',
        ...wanted
      } = request.query as Record<string, unknown>;
      if (typeof filename !== 'string' || typeof subfolder !== 'string' || !isFolderType(type))
        throw malformed('filename, subfolder and type must be texts, and type input, output or temp.');
      if (leadsOut(filename)) throw malformed('The filename leads out of the folder.');
      if (leadsOut(subfolder)) return reply.code(403).type('text/plain').send('403: Forbidden');
      const name = readFileName(filename, { subfolder, folder: type });
      const file = name && (await files.find(identityOf(request).userId, name));
      if (!file || file.row.filename !== name.filename) throw new AppError('file_not_found');
      const form = formOf(wanted);
      return form === null
        ? sendFile(request, reply, file)
        : sendConverted(request, reply, { row: file.row, form, pictures });
    }),
  );

  app.route(
    comfyuiRoute(comfyuiFolderFiles, async (request) => {
      const { folder } = request.params as { folder: string };
      if (!isFolderType(folder)) throw malformed('The folder must be input, output or temp.');
      return files.newest(identityOf(request).userId, folder);
    }),
  );

  app.route(
    comfyuiRoute(
      comfyuiUpload,
      (request) => receive(request, options, async (picture) => picture.content),
      limits,
    ),
  );

  app.route(
    comfyuiRoute(
      comfyuiUploadMask,
      (request) =>
        receive(request, options, async ({ content, originalRef }, lost) => {
          const { userId } = identityOf(request);
          const original = await files.find(userId, originalOf(originalRef));
          if (!original)
            throw new AppError('file_not_found', { message: 'original_ref names no file of yours.' });
          const masked = await pictures.masked(original.row, content, userId);
          return options.storedFiles.receive(Readable.from([masked]), lost);
        }),
      limits,
    ),
  );
}

/** Reads one picture and stores what `contentOf` makes of it under its name. */
async function receive(
  request: FastifyRequest,
  { files, storedFiles, guard, uploadBytes }: FileRoutesOptions,
  contentOf: (received: ReceivedPicture, lost: AbortSignal) => Promise<ReceivedPicture['content']>,
): Promise<{ name: string; subfolder: string; type: string }> {
  const { userId } = identityOf(request);
  const connection = watchUpload(request.raw);
  try {
    requireFits(Number(request.headers['content-length'] ?? 0) - envelopeBytes, uploadBytes);
    await storedFiles.requireRoom(userId);
    const received = await receivePicture(request.parts(), (source) =>
      storedFiles.receive(source, connection.lost),
    );
    const { subfolder, folder } = received;
    const content = await contentOf(received, connection.lost);
    const name = await files.name({ userId, origin: guard.originOf(request) }, received, content);
    return { name, subfolder, type: folder };
  } finally {
    connection.release();
  }
}

/** A mask names its picture as a node does: `{ "filename": "a.png", "subfolder": "", "type": "input" }`. */
function originalOf(reference: unknown): ComfyuiFileName {
  const { filename, subfolder = '', type = 'output' } = parsedRecord(reference);
  if (typeof filename !== 'string' || typeof subfolder !== 'string' || !isFolderType(type))
    throw malformed('original_ref must be JSON with the filename, subfolder and type of the picture.');
  const name = readFileName(filename, { subfolder, folder: type });
  if (!name) throw malformed('original_ref leads out of the folder.');
  return name;
}

function parsedRecord(text: unknown): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(String(text));
    return isRecord(value) ? value : {};
  } catch {
    // The caller reports the missing file.
    return {};
  }
}

/** Returns null when the file itself is wanted. An unknown form of preview is a WebP, and another channel the file, as in ComfyUI. */
function formOf({ preview, channel }: Record<string, unknown>): PictureForm | null {
  if (typeof preview === 'string') {
    const [kind, ...rest] = preview.split(';');
    const last = rest.at(-1) ?? kind ?? '';
    const quality = /^\d{1,3}$/.test(last) ? Math.min(Math.max(Number(last), 1), 100) : defaultQuality;
    const withAlpha = channel !== 'rgb';
    // A JPEG has no transparency, so a client that wants it gets a WebP.
    const wantsAlpha = typeof channel === 'string' && channel.includes('a');
    return kind === 'jpeg' && !wantsAlpha ? { kind, quality } : { kind: 'webp', quality, withAlpha };
  }
  if (channel === 'rgb') return { kind: 'colours' };
  return channel === 'a' ? { kind: 'alpha' } : null;
}

/**
 * Sends the picture in another form. Its hash follows from the content and the form, so a client that has it never
 * loads it again.
 */
async function sendConverted(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    row,
    form,
    pictures,
  }: { row: Parameters<StoredPictures['convert']>[0]; form: PictureForm; pictures: StoredPictures },
): Promise<FastifyReply> {
  const etag = `"${row.sha256}-${Object.values(form).join('-')}"`;
  const ifNoneMatch = request.headers['if-none-match'];
  const { status } = answerRange({ ifNoneMatch }, { etag, sizeBytes: 0 });
  reply.code(status).headers({ ...storedFileHeaders, etag });
  if (status === 304) return reply.send();
  const bytes = await pictures.convert(row, form, identityOf(request).userId);
  const type = form.kind === 'webp' || form.kind === 'jpeg' ? form.kind : 'png';
  return reply.headers({ 'content-type': `image/${type}`, 'content-length': bytes.length }).send(bytes);
}
