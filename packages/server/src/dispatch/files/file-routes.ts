import { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import {
  copyFile,
  deleteFile,
  deleteFiles,
  downloadFile,
  getThumbnail,
  listedModels,
  listFileModels,
  listFiles,
  listFileTags,
  markFiles,
  markLimits,
  type ThumbnailSize,
  uploadFile,
} from '@switchyard/contract/dispatch/file';
import { ok } from '@switchyard/contract/envelope';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actorOf } from '../../http/access/actor.ts';
import { adminOrOwnerOf, type Guard, identityOf, isAdmin, signedInUser } from '../../http/access/guard.ts';
import { requireAdminFor } from '../../http/access/owner-filter.ts';
import { readerOf } from '../../http/access/reader.ts';
import type { App, Routes } from '../../http/app.ts';
import { watchUpload } from '../../http/body/watch-upload.ts';
import { storedFilePolicy } from '../../http/shell/security-headers.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import { noRecord } from '../../platform/audit/audit.ts';
import { contentDisposition } from '../../platform/files/content-disposition.ts';
import { isInlineType } from '../../platform/files/content-type.ts';
import { requireFits } from '../../platform/files/receive-content.ts';
import { answerRange } from '../../platform/files/serve-range.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import { tidyTag } from './file-list.ts';
import type { FileMarkStore } from './file-mark-store.ts';
import type { FileModelStore } from './file-model-store.ts';
import { receiveUpload } from './receive-upload.ts';
import type { FileRow } from './stored-file-store.ts';
import type { StoredFiles } from './stored-files.ts';
import type { StoredPictures } from './stored-pictures.ts';
import type { Thumbnails } from './thumbnails.ts';

interface FileRoutesOptions extends Pick<DispatchParts, 'links' | 'audit' | 'guard'> {
  files: StoredFiles;
  marks: FileMarkStore;
  models: Pick<FileModelStore, 'list'>;
  thumbnails: Thumbnails;
  pictures: Pick<StoredPictures, 'withMask'>;
  uploadBytes: number;
}

export const storedFileHeaders = {
  'cache-control': 'private, max-age=3600',
  'content-security-policy': storedFilePolicy,
  'cross-origin-resource-policy': 'cross-origin',
} as const;

/** Stands for all who have a link and no account, where callers take turns. */
const strangers = 'strangers';
/** Boundaries and part headers around one file; a little more than any client writes. */
const envelopeBytes = 16 * 1024;

export function fileRoutes(options: FileRoutesOptions): Routes {
  const { files, thumbnails, guard } = options;
  return (app) => {
    addUpload(app, options);
    addDeletion(app, options);

    app.route({
      ...listFiles,
      handler: async (request) => {
        requireAdminFor(request, request.query.owner);
        return ok(await files.list(readerOf(request, guard), request.query));
      },
    });

    app.route({
      ...copyFile,
      handler: async (request) => ok(await files.copy(identityOf(request).userId, request.params.fileId)),
    });

    app.route({
      ...downloadFile,
      handler: async (request, reply) => {
        const { fileId } = request.params;
        const { size, strip } = request.query;
        const file = await files.open(await readerOfLink(request, fileId, options), fileId);
        if (size === undefined && strip !== undefined)
          return sendStripped(request, reply, { row: file.row, files });
        if (size === undefined)
          return (await redirected(request, reply, file)) ?? sendFile(request, reply, file);
        return sendThumbnail(request, reply, { row: file.row, size, thumbnails });
      },
    });

    app.route({
      ...getThumbnail,
      handler: async (request, reply) => {
        const { fileId } = request.params;
        const { size = 256 } = request.query;
        const { row } = await files.open(await readerOfLink(request, fileId, options), fileId);
        return sendThumbnail(request, reply, { row, size, thumbnails });
      },
    });

    addMarks(app, options);
  };
}

function addDeletion(app: App, { files, audit }: FileRoutesOptions): void {
  const recordOf = (request: FastifyRequest) => {
    const actor = actorOf(request);
    return ({ id, owner, filename }: FileRow) =>
      owner === actor.id
        ? noRecord
        : audit.part(actor, { action: 'file.deleted', target: ['file', id], details: { owner, filename } });
  };

  app.route({
    ...deleteFile,
    handler: async (request) => {
      const { fileId } = request.params;
      await files.delete(adminOrOwnerOf(request), fileId, recordOf(request));
      return ok({ fileId });
    },
  });

  app.route({
    ...deleteFiles,
    handler: async (request) => {
      const { fileIds } = request.body;
      const errors = await files.deleteMany(adminOrOwnerOf(request), fileIds, recordOf(request));
      const items = fileIds.map((fileId) => {
        const error = errors.get(fileId);
        return { fileId, error: error ? { code: error.code, message: error.message } : null };
      });
      return ok({ items });
    },
  });
}

function addMarks(app: App, { files, marks, models }: FileRoutesOptions): void {
  app.route({
    ...markFiles,
    handler: async (request) => {
      const { fileIds, starred, caption, tags, addTags = [], removeTags = [] } = request.body;
      const { userId } = identityOf(request);
      const changed = await marks.change(userId, fileIds, {
        starred,
        caption: caption?.trim(),
        tags: tags?.map(tidyTag),
        addTags: addTags.map(tidyTag),
        removeTags: removeTags.map(tidyTag),
      });
      return ok({ items: files.marked(userId, changed) });
    },
  });

  app.route({
    ...listFileTags,
    handler: async (request) =>
      ok({ items: await marks.tags(identityOf(request).userId, markLimits.listedTags) }),
  });

  app.route({
    ...listFileModels,
    handler: async (request) => ok({ items: await models.list(identityOf(request).userId, listedModels) }),
  });
}

function addUpload(app: App, { files, pictures, guard, uploadBytes }: FileRoutesOptions): void {
  app.register(multipart, {
    limits: { files: 2, fields: 2, parts: 3, fileSize: uploadBytes + 1, headerPairs: 50, fieldNameSize: 200 },
    throwFileSizeLimit: false,
  });
  app.route({
    ...uploadFile,
    bodyLimit: uploadBytes + envelopeBytes,
    handler: async (request) => {
      const { userId } = identityOf(request);
      const connection = watchUpload(request.raw);
      try {
        requireFits(Number(request.headers['content-length'] ?? 0) - envelopeBytes, uploadBytes);
        const { maskOf, maskPlace: place = 'alpha' } = request.query;
        const [picture] = maskOf === undefined ? [] : await files.selected({ user: userId }, [maskOf]);
        await files.requireRoom(userId);
        const { filename, content: received } = await receiveUpload(request.parts(), (source) =>
          files.receive(source, connection.lost),
        );
        const content = picture
          ? await files.receive(
              Readable.from([await pictures.withMask(picture, received, { place, caller: userId })]),
              connection.lost,
            )
          : received;
        return ok(await files.add({ userId, origin: guard.originOf(request) }, filename, content));
      } finally {
        connection.release();
      }
    },
  });
}

async function readerOfLink(
  request: FastifyRequest,
  fileId: string,
  { links, guard }: Pick<FileRoutesOptions, 'links' | 'guard'>,
): Promise<Owner> {
  const isSigned = links.isValid(fileId, request.query as { expires?: string; sig?: string });
  return isSigned ? { system: 'signed link' } : ownerByCredentials(request, guard);
}

/** Without a valid signature the credentials decide; a link that was signed once gives an error that it has expired. */
async function ownerByCredentials(request: FastifyRequest, guard: Pick<Guard, 'identify'>): Promise<Owner> {
  const query = request.query as { sig?: string };
  try {
    if (signedInUser(request) !== undefined) return adminOrOwnerOf(request);
    const identity = await guard.identify(request, 'dispatch');
    return isAdmin(identity) ? { admin: identity.userId } : { user: identity.userId };
  } catch (error) {
    if (query.sig !== undefined) throw new AppError('link_expired', { cause: error });
    throw error;
  }
}

/** It has another size than the stored file, so a range of it would be one of another file. */
async function sendStripped(
  request: FastifyRequest,
  reply: FastifyReply,
  { row, files }: { row: FileRow; files: StoredFiles },
): Promise<FastifyReply> {
  const etag = `"${row.sha256}-stripped"`;
  const answer = answerRange(
    { ifNoneMatch: request.headers['if-none-match'] },
    { etag, sizeBytes: row.size },
  );
  reply.code(answer.status).headers({ ...storedFileHeaders, etag });
  if (answer.status === 304) return reply.send();
  const { sizeBytes, open } = await files.strippedContentOf(row);
  return reply
    .headers({
      'content-type': row.contentType,
      'content-length': sizeBytes,
      'content-disposition': dispositionOf(row),
    })
    .send(await open());
}

/** A thumbnail follows from the content and the size, so a client that has it never loads it again. */
async function sendThumbnail(
  request: FastifyRequest,
  reply: FastifyReply,
  { row, size, thumbnails }: { row: FileRow; size: ThumbnailSize; thumbnails: Thumbnails },
): Promise<FastifyReply> {
  const etag = `"${row.sha256}-${size}"`;
  const ifNoneMatch = request.headers['if-none-match'];
  const answer = answerRange({ ifNoneMatch }, { etag, sizeBytes: 0 });
  reply.code(answer.status).headers({ ...storedFileHeaders, etag });
  if (answer.status === 304) return reply.send();
  const bytes = await thumbnails.of(row, { edge: size, caller: signedInUser(request) ?? strangers });
  return reply.headers({ 'content-type': 'image/webp', 'content-length': bytes.length }).send(bytes);
}

/**
 * Sends the client to the store where that is allowed. Requests of our own pages are answered here: their policy lets them load from
 * the gateway alone, and a browser sends them with its cookies. A link of the store is signed for GET.
 */
async function redirected(
  request: FastifyRequest,
  reply: FastifyReply,
  { row, link }: Awaited<ReturnType<StoredFiles['open']>>,
): Promise<FastifyReply | null> {
  const { cookie, 'sec-fetch-site': site, 'if-none-match': known } = request.headers;
  if (cookie !== undefined || site === 'same-origin' || known !== undefined || request.method !== 'GET')
    return null;
  const address = await link({ contentType: row.contentType, disposition: dispositionOf(row) });
  if (address === null) return null;
  return reply.code(302).headers({ location: address, 'cache-control': 'no-store' }).send();
}

function dispositionOf({ contentType, filename }: FileRow): string {
  return contentDisposition(isInlineType(contentType) ? 'inline' : 'attachment', filename);
}

/** Answers with a stored file, or with the range of it that the client asks for. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { row, read }: Awaited<ReturnType<StoredFiles['open']>>,
): Promise<FastifyReply> {
  const etag = `"${row.sha256}"`;
  const answer = answerRange(
    {
      range: request.headers.range,
      ifRange: request.headers['if-range'] as string | undefined,
      ifNoneMatch: request.headers['if-none-match'],
    },
    { etag, sizeBytes: row.size },
  );
  reply.code(answer.status).headers({ ...storedFileHeaders, etag, 'accept-ranges': 'bytes' });
  if ('contentRange' in answer) reply.header('content-range', answer.contentRange);
  if (answer.status === 304 || answer.status === 416) return reply.send();
  const range = answer.status === 206 ? { start: answer.start, end: answer.end } : undefined;
  const { stream } = await read(range);
  return reply
    .headers({
      'content-type': row.contentType,
      'content-length': range ? range.end - range.start + 1 : row.size,
      'content-disposition': dispositionOf(row),
    })
    .send(stream);
}
