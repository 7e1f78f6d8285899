import multipart from '@fastify/multipart';
import { deleteFile, downloadFile, listFiles, uploadFile } from '@switchyard/contract/dispatch/file';
import { ok } from '@switchyard/contract/envelope';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { adminOrOwnerOf, type Guard, identityOf, isAdmin } from '../../http/access/guard.ts';
import { requireAdminFor } from '../../http/access/owner-filter.ts';
import { readerOf } from '../../http/access/reader.ts';
import type { App, Routes } from '../../http/app.ts';
import { watchUpload } from '../../http/body/watch-upload.ts';
import { storedFilePolicy } from '../../http/shell/security-headers.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import { contentDisposition } from '../../platform/files/content-disposition.ts';
import { isInlineType } from '../../platform/files/content-type.ts';
import { answerRange } from '../../platform/files/serve-range.ts';
import { requireFits } from '../../platform/files/write-blob.ts';
import type { Links } from './links.ts';
import { receiveUpload } from './receive-upload.ts';
import type { StoredFiles } from './stored-files.ts';

interface FileRoutesOptions {
  files: StoredFiles;
  links: Links;
  guard: Pick<Guard, 'identify' | 'originOf'>;
  uploadBytes: number;
}

/** Boundaries and part headers around one file; a little more than any client writes. */
const envelopeBytes = 16 * 1024;

export function fileRoutes(options: FileRoutesOptions): Routes {
  const { files, links, guard } = options;
  return (app) => {
    addUpload(app, options);

    app.route({
      ...listFiles,
      handler: async (request) => {
        requireAdminFor(request, request.query.owner);
        return ok(await files.list(readerOf(request, guard), request.query));
      },
    });

    app.route({
      ...deleteFile,
      handler: async (request) => {
        await files.delete(adminOrOwnerOf(request), request.params.fileId);
        return ok({ fileId: request.params.fileId });
      },
    });

    app.route({
      ...downloadFile,
      handler: async (request, reply) => {
        const { fileId } = request.params;
        const isSigned = links.isValid(fileId, request.query);
        const owner = isSigned ? { system: 'signed link' } : await ownerByCredentials(request, guard);
        return sendFile(request, reply, await files.open(owner, fileId));
      },
    });
  };
}

function addUpload(app: App, { files, guard, uploadBytes }: FileRoutesOptions): void {
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
        await files.requireRoom(userId);
        const { filename, content } = await receiveUpload(request.parts(), (source) =>
          files.receive(source, connection.lost),
        );
        return ok(await files.add({ userId, origin: guard.originOf(request) }, filename, content));
      } finally {
        connection.release();
      }
    },
  });
}

/** Without a valid signature the credentials decide; a link that was signed once gives an error that it has expired. */
async function ownerByCredentials(request: FastifyRequest, guard: Pick<Guard, 'identify'>): Promise<Owner> {
  const query = request.query as { sig?: string };
  try {
    const identity = await guard.identify(request, 'dispatch');
    return isAdmin(identity) ? { admin: identity.userId } : { user: identity.userId };
  } catch (error) {
    if (query.sig !== undefined) throw new AppError('link_expired', { cause: error });
    throw error;
  }
}

async function sendFile(
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
  reply.code(answer.status).headers({
    etag,
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=3600',
    'content-security-policy': storedFilePolicy,
    'cross-origin-resource-policy': 'cross-origin',
  });
  if ('contentRange' in answer) reply.header('content-range', answer.contentRange);
  if (answer.status === 304 || answer.status === 416) return reply.send();
  const range = answer.status === 206 ? { start: answer.start, end: answer.end } : undefined;
  const { stream } = await read(range);
  return reply
    .headers({
      'content-type': row.contentType,
      'content-length': range ? range.end - range.start + 1 : row.size,
      'content-disposition': contentDisposition(
        isInlineType(row.contentType) ? 'inline' : 'attachment',
        row.filename,
      ),
    })
    .send(stream);
}
