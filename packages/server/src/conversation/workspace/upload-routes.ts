import multipart from '@fastify/multipart';
import {
  deleteUpload,
  getUploadLimits,
  listUploads,
  uploadFiles,
} from '@switchyard/contract/conversation/uploads';
import { ownerOf } from '../../http/access/guard.ts';
import type { App, Routes } from '../../http/app.ts';
import { watchUpload } from '../../http/body/watch-upload.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Uploads } from './uploads.ts';

/** Room for boundaries and part headers around a file; a little more than any client writes. */
const envelopeBytes = 16 * 1024;
/** Fields beside the files. Our own clients send none. */
const maxFields = 10;

export function uploadRoutes({ uploads }: { uploads: Uploads }): Routes {
  return (app) => {
    addUpload(app, uploads);

    app.route({
      ...listUploads,
      handler: async (request) => {
        const files = await uploads.list(ownerOf(request), request.params.thread_id);
        return { files, count: files.length };
      },
    });

    app.route({
      ...getUploadLimits,
      handler: async (request) => uploads.limitsFor(ownerOf(request), request.params.thread_id),
    });

    app.route({
      ...deleteUpload,
      handler: async (request) => {
        const { thread_id, filename } = request.params;
        await uploads.remove(ownerOf(request), thread_id, filename);
        return { success: true, message: `Deleted ${filename}` };
      },
    });
  };
}

function addUpload(app: App, uploads: Uploads): void {
  const { files, fileBytes, totalBytes } = uploads.limits;
  const maxBytes = totalBytes + envelopeBytes * (files + 1);
  app.register(multipart, {
    // Uploads count files and bytes themselves and name the exceeded limit; one more file lets them notice.
    limits: {
      files: files + 1,
      fields: maxFields,
      parts: files + 1 + maxFields,
      fieldSize: envelopeBytes,
      fileSize: fileBytes + 1,
      headerPairs: 50,
      fieldNameSize: 200,
    },
    throwFileSizeLimit: false,
    preservePath: true,
  });
  app.route({
    ...uploadFiles,
    bodyLimit: maxBytes,
    handler: async (request) => {
      const [owner, threadId] = [ownerOf(request), request.params.thread_id];
      const connection = watchUpload(request.raw);
      try {
        await uploads.requireThread(owner, threadId);
        if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new AppError('upload_too_large');
        return await uploads.add(owner, threadId, { parts: request.parts(), signal: connection.lost });
      } finally {
        connection.release();
      }
    },
  });
}
