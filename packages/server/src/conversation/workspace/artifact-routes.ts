import { getArtifact, putArtifact } from '@switchyard/contract/conversation/artifact';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import { clientGone } from '../../http/exchange/client-gone.ts';
import { storedFilePolicy } from '../../http/shell/security-headers.ts';
import { contentDisposition } from '../../platform/files/content-disposition.ts';
import { answerRange } from '../../platform/files/serve-range.ts';
import type { Artifact, Artifacts } from './artifacts.ts';

export function artifactRoutes({ artifacts }: { artifacts: Artifacts }): Routes {
  return (app) => {
    app.route({
      ...getArtifact,
      handler: async (request, reply) => {
        const { thread_id, '*': path } = request.params;
        const gone = clientGone(request, reply);
        const artifact = await artifacts
          .open(ownerOf(request), thread_id, path, gone)
          .catch((error: unknown) => {
            if (gone.aborted) return null;
            throw error;
          });
        // There is no client left to respond to.
        if (artifact === null) return reply.hijack();
        return sendArtifact(request, reply, {
          ...artifact,
          isInline: artifact.isInline && request.query.download !== true,
        });
      },
    });

    app.route({
      ...putArtifact,
      handler: async (request) => {
        const { thread_id, '*': path } = request.params;
        return artifacts.edit(ownerOf(request), thread_id, { ...request.body, path });
      },
    });
  };
}

async function sendArtifact(
  request: FastifyRequest,
  reply: FastifyReply,
  artifact: Artifact,
): Promise<FastifyReply> {
  const { etag, sizeBytes, isInline } = artifact;
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers;
  const answer = answerRange(
    { range, ifRange: ifRange as string | undefined, ifNoneMatch },
    { etag, sizeBytes },
  );
  reply.code(answer.status).headers({
    etag,
    'accept-ranges': 'bytes',
    'cache-control': artifact.cacheControl,
    'content-security-policy': storedFilePolicy,
  });
  if ('contentRange' in answer) reply.header('content-range', answer.contentRange);
  if (answer.status === 304 || answer.status === 416) {
    await artifact.close();
    return reply.send();
  }
  const part = answer.status === 206 ? { start: answer.start, end: answer.end } : undefined;
  reply.headers({
    'content-type': artifact.contentType,
    'content-length': part ? part.end - part.start + 1 : sizeBytes,
    'content-disposition': contentDisposition(isInline ? 'inline' : 'attachment', artifact.filename),
  });
  return reply.send(artifact.stream(part));
}
