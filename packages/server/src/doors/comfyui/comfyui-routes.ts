import multipart from '@fastify/multipart';
import type { Instance } from '@switchyard/contract/dispatch/instance';
import {
  comfyuiBases,
  comfyuiChangeQueue,
  comfyuiFeatures,
  comfyuiFree,
  comfyuiHistory,
  comfyuiHistoryOfOne,
  comfyuiInterrupt,
  comfyuiLogsSubscribe,
  comfyuiModelFolders,
  comfyuiModels,
  comfyuiObjectInfo,
  comfyuiObjectInfoOfOne,
  comfyuiQueue,
  comfyuiQueueInfo,
  comfyuiSubmit,
  comfyuiSystemStats,
  comfyuiUpload,
  comfyuiView,
} from '@switchyard/contract/doors/comfyui';
import type { Endpoint } from '@switchyard/contract/endpoint';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendFile } from '../../dispatch/files/file-routes.ts';
import type { StoredFiles } from '../../dispatch/files/stored-files.ts';
import type { Instances } from '../../dispatch/fleet/instances.ts';
import type { PoolNodes } from '../../dispatch/instances/pool-nodes.ts';
import { actorOf } from '../../http/access/actor.ts';
import { type Guard, identityOf, isAdmin } from '../../http/access/guard.ts';
import type { App, Routes } from '../../http/app.ts';
import type { Admission } from '../../http/body/admission.ts';
import { readFormsAsJson } from '../../http/body/body-parsers.ts';
import { watchUpload } from '../../http/body/watch-upload.ts';
import { chooseEncoding, varyByEncoding } from '../../http/shell/compression.ts';
import { refuseOtherMethod } from '../../http/shell/not-found.ts';
import { AppError } from '../../lib/app-error.ts';
import { requireFits } from '../../platform/files/write-blob.ts';
import { comfyuiErrorText, comfyuiPromptError } from './comfyui-errors.ts';
import type { ComfyuiFiles } from './comfyui-files.ts';
import { isFolderType, leadsOut, readFileName } from './comfyui-names.ts';
import { modelFolders, modelsIn } from './pool-models.ts';
import type { PromptFeed } from './prompt-feed.ts';
import { featuresOf } from './prompt-frames.ts';
import type { PromptRecords } from './prompt-records.ts';
import type { PromptStops } from './prompt-stops.ts';
import type { Prompts } from './prompts.ts';
import { receivePicture } from './receive-picture.ts';

export interface ComfyuiRoutesOptions {
  prompts: Prompts;
  records: PromptRecords;
  stops: PromptStops;
  feed: Pick<PromptFeed, 'remainingOf'>;
  nodes: PoolNodes;
  files: ComfyuiFiles;
  storedFiles: Pick<StoredFiles, 'receive' | 'requireRoom'>;
  instances: Pick<Instances, 'list'>;
  guard: Pick<Guard, 'originOf'>;
  admission: Pick<Admission, 'readBody'>;
  uploadBytes: number;
}

/** Boundaries, part headers and fields around one file. */
const envelopeBytes = 16 * 1024;
const json = 'application/json; charset=utf-8';

/** The calls of clients of one ComfyUI, each below both bases. */
export function comfyuiRoutes(options: ComfyuiRoutesOptions): Routes {
  return (app) => {
    app.register(multipart, {
      limits: {
        files: 2,
        fields: 10,
        parts: 12,
        fileSize: options.uploadBytes + 1,
        headerPairs: 50,
        fieldNameSize: 200,
        fieldSize: 2_048,
      },
      throwFileSizeLimit: false,
    });
    // Python's urllib names this type for every body, and so do the example scripts of ComfyUI.
    readFormsAsJson(app, options.admission);
    addPrompts(app, options);
    addRecords(app, options);
    addStops(app, options);
    addFiles(app, options);
    addPool(app, options);
    addRest(app);
  };
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

function add(
  app: App,
  endpoint: Endpoint,
  handler: Handler,
  {
    errorAnswer = comfyuiErrorText,
    bodyLimit,
  }: { errorAnswer?: typeof comfyuiErrorText; bodyLimit?: number } = {},
): void {
  for (const base of comfyuiBases) {
    app.route({
      ...endpoint,
      url: base + endpoint.url.slice(comfyuiBases[0].length),
      config: { ...endpoint.config, errorAnswer },
      ...(bodyLimit !== undefined && { bodyLimit }),
      handler,
    });
  }
}

function addPrompts(app: App, { prompts, feed, guard }: ComfyuiRoutesOptions): void {
  add(app, comfyuiQueueInfo, async (request) => ({
    exec_info: { queue_remaining: await feed.remainingOf(identityOf(request).userId) },
  }));

  add(
    app,
    comfyuiSubmit,
    async (request, reply) => {
      const identity = identityOf(request);
      const answer = await prompts.submit(request.body, {
        userId: identity.userId,
        byAdmin: isAdmin(identity),
        origin: guard.originOf(request),
        requestId: request.id,
        actor: actorOf(request),
      });
      if ('refused' in answer) return reply.code(answer.refused.status).send(answer.refused.body);
      reply.raw.once('close', answer.whenAnswered);
      return answer.queued;
    },
    { errorAnswer: comfyuiPromptError },
  );
}

function addRecords(app: App, { records }: ComfyuiRoutesOptions): void {
  add(app, comfyuiQueue, (request) => records.queue(identityOf(request).userId));

  add(app, comfyuiHistory, (request) => {
    const { max_items: maxItems, offset } = request.query as Record<string, unknown>;
    const page = { maxItems: countIn('max_items', maxItems), offset: countIn('offset', offset) };
    return records.history(identityOf(request).userId, page);
  });

  add(app, comfyuiHistoryOfOne, (request) => {
    const { promptId } = request.params as { promptId: string };
    return records.historyOf(identityOf(request).userId, promptId);
  });
}

function addStops(app: App, { stops, guard }: ComfyuiRoutesOptions): void {
  const byOf = (request: FastifyRequest) => ({
    userId: identityOf(request).userId,
    origin: guard.originOf(request),
  });

  add(app, comfyuiInterrupt, async (request, reply) => {
    await stops.interrupt(request.body, byOf(request));
    return reply.code(200).send();
  });

  add(app, comfyuiChangeQueue, async (request, reply) => {
    await stops.dequeue(request.body, byOf(request));
    return reply.code(200).send();
  });
}

function addFiles(app: App, { files, storedFiles, guard, uploadBytes }: ComfyuiRoutesOptions): void {
  add(app, comfyuiView, async (request, reply) => {
    const { filename, subfolder = '', type = 'output' } = request.query as Record<string, unknown>;
    if (typeof filename !== 'string' || typeof subfolder !== 'string' || !isFolderType(type))
      throw malformed('filename, subfolder and type must be texts, and type input, output or temp.');
    if (leadsOut(filename)) throw malformed('The filename leads out of the folder.');
    if (leadsOut(subfolder)) return reply.code(403).type('text/plain').send('403: Forbidden');
    const name = readFileName(filename, { subfolder, folder: type });
    const file = name && (await files.find(identityOf(request).userId, name));
    if (!file || file.row.filename !== name.filename) throw new AppError('file_not_found');
    return sendFile(request, reply, file);
  });

  add(
    app,
    comfyuiUpload,
    async (request) => {
      const { userId } = identityOf(request);
      const connection = watchUpload(request.raw);
      try {
        requireFits(Number(request.headers['content-length'] ?? 0) - envelopeBytes, uploadBytes);
        await storedFiles.requireRoom(userId);
        const { content, ...given } = await receivePicture(request.parts(), (source) =>
          storedFiles.receive(source, connection.lost),
        );
        const name = await files.name({ userId, origin: guard.originOf(request) }, given, content);
        return { name, subfolder: given.subfolder, type: given.folder };
      } finally {
        connection.release();
      }
    },
    { bodyLimit: uploadBytes + envelopeBytes },
  );
}

function addPool(app: App, { nodes, instances, uploadBytes }: ComfyuiRoutesOptions): void {
  add(app, comfyuiObjectInfo, async (request, reply) => {
    const { json: text, compressed } = await nodes.definitions();
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    varyByEncoding(reply);
    reply.type(json);
    if (encoding === undefined) return reply.send(text);
    return reply.header('content-encoding', encoding).send(await compressed(encoding));
  });

  add(app, comfyuiObjectInfoOfOne, async (request) => {
    const { nodeClass } = request.params as { nodeClass: string };
    const definition = (await nodes.definitions()).classes.get(nodeClass);
    return definition ? { [nodeClass]: definition } : {};
  });

  add(app, comfyuiModelFolders, async () => modelFolders(await nodes.definitions()));

  add(app, comfyuiModels, async (request) => {
    const { folder } = request.params as { folder: string };
    const models = modelsIn(folder, await nodes.definitions());
    if (!models) throw new AppError('route_not_found');
    return models;
  });

  add(app, comfyuiSystemStats, async () => poolStats(await instances.list()));

  add(app, comfyuiFeatures, async () => featuresOf(uploadBytes));

  add(app, comfyuiFree, async (_request, reply) => reply.code(200).send());

  add(app, comfyuiLogsSubscribe, async (_request, reply) => reply.code(200).send());
}

/** The pool as the machine of one ComfyUI: the devices of all workers that are there. */
function poolStats(instances: readonly Instance[]): Record<string, unknown> {
  const alive = instances.filter(({ alive }) => alive);
  const devices = alive.flatMap((instance) => instance.devices.map((device) => ({ device, instance })));
  return {
    system: {
      // Clients build paths by it, and every path of the door has slashes.
      os: 'posix',
      ram_total: 0,
      ram_free: 0,
      comfyui_version: alive.find(({ version }) => version !== null)?.version ?? null,
      required_frontend_version: null,
      python_version: '',
      pytorch_version: '',
      embedded_python: false,
      argv: [],
    },
    devices: devices.map(({ device, instance }, index) => ({
      name: `${device.name} (${instance.serverName})`,
      type: /^cuda/i.test(device.name) ? 'cuda' : 'cpu',
      index,
      vram_total: device.memoryTotalBytes ?? 0,
      vram_free: device.memoryFreeBytes ?? 0,
      torch_vram_total: device.memoryTotalBytes ?? 0,
      torch_vram_free: device.memoryFreeBytes ?? 0,
    })),
  };
}

/** Everything else that a ComfyUI may have, such as the routes of custom nodes. */
function addRest(app: App): void {
  for (const url of ['/comfy', '/comfy/*']) {
    app.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      url,
      config: {
        access: 'dispatch:read',
        door: 'comfyui',
        headerOnly: true,
        takesRest: true,
        errorAnswer: comfyuiErrorText,
      },
      handler: async (request, reply) => {
        refuseOtherMethod(request, reply, app);
        throw new AppError('route_not_found');
      },
    });
  }
}

/** Returns undefined for a number that is absent or -1, which ComfyUI takes for absent. */
function countIn(name: string, value: unknown): number | undefined {
  if (value === undefined || value === '-1') return undefined;
  const count = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
  if (count === undefined) throw malformed(`${name} must be a whole number.`);
  return count;
}

function malformed(message: string): AppError {
  return new AppError('body_malformed', { message });
}
