import multipart from '@fastify/multipart';
import type { TaskStatusFilter } from '@switchyard/contract/dispatch/task';
import {
  type ComfyApiAsset,
  comfyApiAssetOfId,
  comfyApiBase,
  comfyApiByHash,
  comfyApiCancel,
  comfyApiContent,
  comfyApiDeleteAsset,
  comfyApiFromHash,
  comfyApiHealth,
  comfyApiJobEvents,
  comfyApiJobOfId,
  comfyApiJobs,
  comfyApiJobWorkflow,
  comfyApiSubmit,
  comfyApiUpload,
} from '@switchyard/contract/doors/comfy-api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DispatchEvents } from '../../dispatch/dispatch-events.ts';
import type { DispatchOptions } from '../../dispatch/dispatch-parts.ts';
import { sendFile } from '../../dispatch/files/file-routes.ts';
import type { FileRow } from '../../dispatch/files/stored-file-store.ts';
import type { StoredFiles } from '../../dispatch/files/stored-files.ts';
import type { Tasks } from '../../dispatch/intake/tasks.ts';
import type { Reader } from '../../dispatch/links.ts';
import type { TaskListStore } from '../../dispatch/tasks/task-list-store.ts';
import { actorOf } from '../../http/access/actor.ts';
import { type Guard, identityOf, isAdmin, ownerOf } from '../../http/access/guard.ts';
import type { App, Routes } from '../../http/app.ts';
import { watchUpload } from '../../http/body/watch-upload.ts';
import { traceOf } from '../../http/exchange/request-traces.ts';
import { refuseOtherMethod } from '../../http/shell/not-found.ts';
import type { OpenStreams } from '../../http/streams/open-streams.ts';
import { defaultEventStreamLimits, sendEvents } from '../../http/streams/sse.ts';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { requireFits } from '../../platform/files/receive-content.ts';
import { endOfLink } from '../../platform/files/signed-url.ts';
import { ComfyApiRefusal, comfyApiErrorAnswer } from './comfy-api-errors.ts';
import { executedGraph } from './job-assets.ts';
import { jobEvents } from './job-events.ts';
import type { JobSubmissions } from './job-submissions.ts';
import { type JobTask, viewJob } from './job-view.ts';
import { blake3Of, receiveAsset } from './receive-asset.ts';

interface ComfyApiRoutesOptions extends Pick<DispatchOptions, 'retentionMs'> {
  submissions: JobSubmissions;
  tasks: Pick<Tasks, 'get' | 'cancel' | 'views' | 'hasSubmitted'>;
  taskLists: Pick<TaskListStore, 'page'>;
  files: StoredFiles;
  events: DispatchEvents;
  guard: Pick<Guard, 'originOf'>;
  openStreams: OpenStreams;
  clock: Clock;
  limits: { uploadBytes: number };
}

/** Boundaries, part headers and fields around one file. */
const envelopeBytes = 32 * 1024;
/** Clients give a stream up after 45 seconds without a byte. */
const commentEveryMs = 15_000;
const errorAnswer = (error: AppError) => comfyApiErrorAnswer(error);

/** The calls of the SDKs of Comfy. */
export function comfyApiRoutes(options: ComfyApiRoutesOptions): Routes {
  return (app) => {
    app.register(multipart, {
      limits: {
        files: 2,
        fields: 60,
        parts: 62,
        fileSize: options.limits.uploadBytes + 1,
        headerPairs: 50,
        fieldNameSize: 200,
        fieldSize: 2_048,
      },
      throwFileSizeLimit: false,
    });
    app.addHook('onRoute', (route) => {
      route.config = { errorAnswer, ...route.config };
    });
    app.route({ ...comfyApiHealth, handler: async () => ({ status: 'ok' as const }) });
    addJobs(app, options);
    addEvents(app, options);
    addUploads(app, options);
    addAssets(app, options);
    addRest(app, options);
  };
}

function addJobs(app: App, options: ComfyApiRoutesOptions): void {
  const { submissions, tasks, taskLists, guard, clock, retentionMs } = options;
  const view = (task: JobTask) => viewJob(task, { nowMs: clock(), retentionMs });

  app.route({
    ...comfyApiSubmit,
    handler: async (request, reply) => {
      const identity = identityOf(request);
      const task = await submissions.submit(request.body, {
        userId: identity.userId,
        byAdmin: isAdmin(identity),
        origin: guard.originOf(request),
        requestId: request.id,
        traceparent: traceOf(request),
        idempotencyKey: request.headers['idempotency-key'] ?? null,
      });
      return reply.code(201).send(view(task));
    },
  });

  app.route({
    ...comfyApiJobs,
    handler: async (request) => {
      const { status, limit = 50 } = request.query;
      const { owner, origin } = ownReader(request, guard);
      const page = { ...filterOf(status), order: 'desc', limit: limit + 1, offset: 0 } as const;
      const rows = await taskLists.page(owner, page);
      const jobs = (await tasks.views({ origin }, rows.slice(0, limit))).map(view);
      return { jobs, truncated: rows.length > limit };
    },
  });

  app.route({
    ...comfyApiJobOfId,
    handler: async (request) => view(await tasks.get(ownReader(request, guard), request.params.jobId)),
  });

  app.route({
    ...comfyApiJobWorkflow,
    handler: async (request) => {
      const task = await tasks.get(ownReader(request, guard), request.params.jobId);
      return { workflow: executedGraph(task), format: 'api' as const };
    },
  });

  app.route({
    ...comfyApiCancel,
    handler: async (request) => {
      const reader = ownReader(request, guard);
      const { jobId } = request.params;
      try {
        return view(await tasks.cancel(reader, jobId, actorOf(request)));
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'task_finished') throw error;
        return view(await tasks.get(reader, jobId));
      }
    },
  });
}

function addEvents(app: App, options: ComfyApiRoutesOptions): void {
  const { tasks, events, openStreams, guard, clock, retentionMs } = options;
  app.route({
    ...comfyApiJobEvents,
    config: {
      ...comfyApiJobEvents.config,
      errorAnswer: (error) => comfyApiErrorAnswer(error, { rate_limited: 'too_many_streams' }),
    },
    handler: async (request, reply) => {
      const { jobId } = request.params;
      const reader = ownReader(request, guard);
      const read = () => tasks.get(reader, jobId);
      // Answers 404 before the stream begins.
      await read();
      await sendEvents(request, reply, {
        openStreams,
        source: (signal) =>
          jobEvents({
            jobId,
            events,
            read,
            view: (task) => viewJob(task, { nowMs: clock(), retentionMs }),
            signal,
            owner: identityOf(request).userId,
          }),
        limits: { ...defaultEventStreamLimits, heartbeatMs: commentEveryMs },
      });
    },
  });
}

function addUploads(app: App, options: ComfyApiRoutesOptions): void {
  const { tasks, files, limits } = options;
  app.route({
    ...comfyApiUpload,
    bodyLimit: limits.uploadBytes + envelopeBytes,
    handler: async (request, reply) => {
      const { userId } = identityOf(request);
      const given = request.headers['idempotency-key'];
      const key = given === undefined ? null : `comfy-api asset ${given}`;
      const connection = watchUpload(request.raw);
      try {
        requireFits(Number(request.headers['content-length'] ?? 0) - envelopeBytes, limits.uploadBytes);
        if (key !== null && (await tasks.hasSubmitted(userId, key)))
          throw new AppError('idempotency_mismatch');
        await files.requireRoom(userId);
        const { filePath, content } = await receiveAsset(request.parts(), (source) =>
          files.receiveHashed(source, connection.lost),
        );
        const { row, isKnown } = await files.addHashed(userId, filePath, { content, key });
        const asset = { ...viewAsset(row, request, options), created_new: !isKnown };
        return reply.code(isKnown ? 200 : 201).send(asset);
      } finally {
        connection.release();
      }
    },
  });

  app.route({
    ...comfyApiFromHash,
    handler: async (request, reply) => {
      const { hash, file_path: filePath = null } = request.body;
      const blake3 = blake3Of(hash);
      const { userId } = identityOf(request);
      const added = blake3 === null ? undefined : await files.addByHash(userId, blake3, filePath);
      if (!added) throw blobNotFound();
      const asset = { ...viewAsset(added.row, request, options), created_new: false };
      return reply.code(added.isKnown ? 200 : 201).send(asset);
    },
  });

  app.route({
    ...comfyApiByHash,
    handler: async (request) => {
      const { hash } = request.params;
      const blake3 = blake3Of(hash);
      if (blake3 === null || !(await files.hasHash(identityOf(request).userId, blake3))) throw blobNotFound();
      return { hash };
    },
  });
}

function addAssets(app: App, options: ComfyApiRoutesOptions): void {
  const { files } = options;
  app.route({
    ...comfyApiAssetOfId,
    handler: async (request) => {
      const { row } = await files.open(ownerOf(request), request.params.assetId);
      return viewAsset(row, request, options);
    },
  });

  app.route({
    ...comfyApiDeleteAsset,
    handler: async (request, reply) => {
      await files.delete(ownerOf(request), request.params.assetId);
      return reply.code(204).send(null);
    },
  });

  app.route({
    ...comfyApiContent,
    onSend: async (request: FastifyRequest, reply: FastifyReply, payload: unknown) =>
      reply.statusCode === 416 ? rangeRefused(request, reply) : payload,
    handler: async (request, reply) =>
      sendFile(request, reply, await files.open(ownerOf(request), request.params.assetId)),
  });
}

/** Refuses every other address, and shows the prefix to clients that call without it. */
function addRest(app: App, { guard }: ComfyApiRoutesOptions): void {
  const rest = {
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    config: { access: 'dispatch:read', door: 'comfyui', headerOnly: true, takesRest: true, errorAnswer },
  } as const;
  for (const url of [comfyApiBase, `${comfyApiBase}/*`]) {
    app.route({
      ...rest,
      method: [...rest.method],
      url,
      handler: async (request, reply) => {
        refuseOtherMethod(request, reply, app);
        throw new AppError('route_not_found');
      },
    });
  }
  for (const url of ['/api/v2', '/api/v2/*']) {
    app.route({
      ...rest,
      method: [...rest.method],
      url,
      handler: async (request) => {
        const origin = guard.originOf(request) ?? 'the address of the gateway, with ';
        throw new ComfyApiRefusal('not_found', {
          status: 404,
          message: `The Comfy API of this gateway is below /comfy. Set COMFY_BASE_URL to ${origin}/comfy.`,
        });
      },
    });
  }
}

/** Returns a reader for the caller's own files, also for an administrator. */
function ownReader(request: FastifyRequest, guard: Pick<Guard, 'originOf'>): Reader {
  return { owner: ownerOf(request), origin: guard.originOf(request) };
}

function filterOf(status: string | undefined): {
  status?: Exclude<TaskStatusFilter, 'cancelled'>;
  cancelled?: boolean;
} {
  switch (status) {
    case 'queued':
      return { status: 'pending' };
    case 'running':
      return { status: 'running' };
    case 'succeeded':
      return { status: 'completed' };
    case 'canceled':
    case 'failed':
      return { status: 'failed', cancelled: status === 'canceled' };
    default:
      return {};
  }
}

function viewAsset(
  row: FileRow,
  request: FastifyRequest,
  { files, guard, retentionMs }: Pick<ComfyApiRoutesOptions, 'files' | 'guard' | 'retentionMs'>,
): ComfyApiAsset {
  const url = files.linkTo(row, guard.originOf(request));
  return {
    id: row.id,
    hash: row.blake3 === null ? null : `blake3:${row.blake3}`,
    size_bytes: row.size,
    content_type: row.contentType,
    file_path: row.filename,
    created_at: row.createdAt,
    url,
    url_expires_at: endOfLink(url).toISOString(),
    expires_at: retentionMs === null ? null : toIso(Date.parse(row.createdAt) + retentionMs),
    job_id: row.taskId,
  };
}

/** The answer is the same for content that no account has and for content of other accounts. */
function blobNotFound(): ComfyApiRefusal {
  return new ComfyApiRefusal('blob_not_found', {
    status: 404,
    message: 'You have no content with this hash. Upload it.',
  });
}

function rangeRefused(_request: FastifyRequest, reply: FastifyReply): string {
  const message = 'The content ends before this range.';
  const refusal = new ComfyApiRefusal('range_not_satisfiable', { status: 416, message });
  const { contentType, body } = comfyApiErrorAnswer(refusal);
  reply.type(contentType);
  return body;
}
