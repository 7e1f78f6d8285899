import { type ArchiveForm, zipFiles, zipSelectedFiles } from '@switchyard/contract/dispatch/file';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { adminOrOwnerOf, identityOf } from '../../http/access/guard.ts';
import { requireAdminFor } from '../../http/access/owner-filter.ts';
import type { Routes } from '../../http/app.ts';
import { contentDisposition } from '../../platform/files/content-disposition.ts';
import type { FileRow } from '../files/stored-file-store.ts';
import type { StoredFiles } from '../files/stored-files.ts';
import { requireKnownTokens } from './archive-names.ts';
import type { FileArchives } from './file-archives.ts';

export function fileArchiveRoutes({
  files,
  archives,
}: {
  files: Pick<StoredFiles, 'fitting' | 'selected'>;
  archives: FileArchives;
}): Routes {
  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { rows, form }: { rows: FileRow[]; form: ArchiveForm },
  ): Promise<FastifyReply> => {
    const caller = { userId: identityOf(request).userId, owner: adminOrOwnerOf(request) };
    const { stream, sizeBytes } = await archives.open(caller, rows, form);
    return reply
      .headers({
        'content-type': 'application/zip',
        ...(sizeBytes !== null && { 'content-length': sizeBytes }),
        'content-disposition': contentDisposition('attachment', 'files.zip'),
      })
      .send(stream);
  };
  return (app) => {
    app.route({
      ...zipFiles,
      handler: async (request, reply) => {
        const { query: form } = request;
        requireAdminFor(request, form.owner);
        requireKnownTokens('query', form.names);
        return send(request, reply, { rows: await files.fitting(adminOrOwnerOf(request), form), form });
      },
    });

    app.route({
      ...zipSelectedFiles,
      handler: async (request, reply) => {
        const { fileIds, ...form } = request.body;
        requireKnownTokens('body', form.names);
        return send(request, reply, { rows: await files.selected(adminOrOwnerOf(request), fileIds), form });
      },
    });
  };
}
