import multipart from '@fastify/multipart';
import type { Instance } from '@switchyard/contract/dispatch/instance';
import {
  comfyuiChangeHistory,
  comfyuiChangeQueue,
  comfyuiDownloadMissing,
  comfyuiEmbeddings,
  comfyuiExtensions,
  comfyuiFeatures,
  comfyuiFolderPaths,
  comfyuiFree,
  comfyuiHistory,
  comfyuiHistoryOfOne,
  comfyuiInterrupt,
  comfyuiLogs,
  comfyuiLogsSubscribe,
  comfyuiModelFolders,
  comfyuiModels,
  comfyuiObjectInfo,
  comfyuiObjectInfoOfOne,
  comfyuiQueue,
  comfyuiQueueInfo,
  comfyuiRawLogs,
  comfyuiReplacements,
  comfyuiShownFolders,
  comfyuiShownModels,
  comfyuiSubgraphs,
  comfyuiSubmit,
  comfyuiSystemStats,
  comfyuiTemplates,
  comfyuiTranslations,
} from '@switchyard/contract/doors/comfyui';
import { comfyuiBase } from '@switchyard/contract/doors/comfyui-address';
import type { Endpoint } from '@switchyard/contract/endpoint';
import type { FastifyRequest } from 'fastify';
import type { Instances } from '../../dispatch/fleet/instances.ts';
import type { PoolNodes } from '../../dispatch/instances/pool-nodes.ts';
import { actorOf } from '../../http/access/actor.ts';
import { identityOf, isAdmin } from '../../http/access/guard.ts';
import type { App, Routes } from '../../http/app.ts';
import type { Admission } from '../../http/body/admission.ts';
import { readFormsAsJson } from '../../http/body/body-parsers.ts';
import { traceOf } from '../../http/exchange/request-traces.ts';
import { chooseEncoding, varyByEncoding } from '../../http/shell/compression.ts';
import { refuseOtherMethod } from '../../http/shell/not-found.ts';
import { AppError } from '../../lib/app-error.ts';
import { comfyuiRoute, countIn } from './comfyui-endpoint-routes.ts';
import { comfyuiErrorText, comfyuiPromptError } from './comfyui-errors.ts';
import { addFiles, type FileRoutesOptions } from './comfyui-file-routes.ts';
import { modelFolders, modelsIn, shownFolders, shownModels } from './pool-models.ts';
import type { PromptFeed } from './prompt-feed.ts';
import { featuresOf } from './prompt-frames.ts';
import type { PromptRecords } from './prompt-records.ts';
import type { PromptStops } from './prompt-stops.ts';
import type { Prompts } from './prompts.ts';

export interface ComfyuiRoutesOptions extends FileRoutesOptions {
  prompts: Prompts;
  records: PromptRecords;
  stops: PromptStops;
  feed: Pick<PromptFeed, 'remainingOf'>;
  nodes: PoolNodes;
  instances: Pick<Instances, 'list'>;
  admission: Pick<Admission, 'readBody'>;
  /** Returns the scripts that the page loads; none without a page. */
  extensions: () => Promise<string[]>;
  /** Answers every other address. */
  rest: Routes;
}

const json = 'application/json; charset=utf-8';

/** The calls of clients of one ComfyUI. */
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
    addConstants(app);
    options.rest(app);
  };
}

function addPrompts(app: App, { prompts, feed, guard }: ComfyuiRoutesOptions): void {
  app.route(
    comfyuiRoute(comfyuiQueueInfo, async (request) => ({
      exec_info: { queue_remaining: await feed.remainingOf(identityOf(request).userId) },
    })),
  );

  app.route(
    comfyuiRoute(
      comfyuiSubmit,
      async (request, reply) => {
        const identity = identityOf(request);
        const answer = await prompts.submit(request.body, {
          userId: identity.userId,
          byAdmin: isAdmin(identity),
          origin: guard.originOf(request),
          requestId: request.id,
          traceparent: traceOf(request),
          actor: actorOf(request),
        });
        if ('refused' in answer) return reply.code(answer.refused.status).send(answer.refused.body);
        reply.raw.once('close', answer.whenAnswered);
        return answer.queued;
      },
      { errorAnswer: comfyuiPromptError },
    ),
  );
}

function addRecords(app: App, { records }: ComfyuiRoutesOptions): void {
  app.route(comfyuiRoute(comfyuiQueue, (request) => records.queue(identityOf(request).userId)));

  app.route(
    comfyuiRoute(comfyuiHistory, (request) => {
      const { max_items: maxItems, offset } = request.query as Record<string, unknown>;
      const page = { maxItems: countIn('max_items', maxItems), offset: countIn('offset', offset) };
      return records.history(identityOf(request).userId, page);
    }),
  );

  app.route(
    comfyuiRoute(comfyuiHistoryOfOne, (request) => {
      const { promptId } = request.params as { promptId: string };
      return records.historyOf(identityOf(request).userId, promptId);
    }),
  );
}

function addStops(app: App, { stops, guard }: ComfyuiRoutesOptions): void {
  const byOf = (request: FastifyRequest) => ({
    userId: identityOf(request).userId,
    origin: guard.originOf(request),
  });

  app.route(
    comfyuiRoute(comfyuiInterrupt, async (request, reply) => {
      await stops.interrupt(request.body, byOf(request));
      return reply.code(200).send();
    }),
  );

  app.route(
    comfyuiRoute(comfyuiChangeQueue, async (request, reply) => {
      await stops.dequeue(request.body, byOf(request));
      return reply.code(200).send();
    }),
  );

  app.route(
    comfyuiRoute(comfyuiChangeHistory, async (request, reply) => {
      await stops.forget(request.body, byOf(request));
      return reply.code(200).send();
    }),
  );
}

function addPool(app: App, { nodes, instances, extensions, uploadBytes }: ComfyuiRoutesOptions): void {
  app.route(
    comfyuiRoute(comfyuiObjectInfo, async (request, reply) => {
      const { json: bytes, compressed } = await nodes.definitions();
      const encoding = chooseEncoding(request.headers['accept-encoding']);
      varyByEncoding(reply);
      reply.type(json);
      if (encoding === undefined) return reply.send(bytes);
      return reply.header('content-encoding', encoding).send(await compressed(encoding));
    }),
  );

  app.route(
    comfyuiRoute(comfyuiObjectInfoOfOne, async (request) => {
      const { nodeClass } = request.params as { nodeClass: string };
      const definition = (await nodes.definitions()).classes.get(nodeClass);
      return definition ? { [nodeClass]: definition } : {};
    }),
  );

  app.route(comfyuiRoute(comfyuiModelFolders, async () => modelFolders(await nodes.definitions())));

  for (const [endpoint, read] of [
    [comfyuiModels, modelsIn],
    [comfyuiShownModels, shownModels],
  ] as const) {
    app.route(
      comfyuiRoute(endpoint, async (request) => {
        const { folder } = request.params as { folder: string };
        const models = read(folder, await nodes.definitions());
        if (!models) throw new AppError('route_not_found');
        return models;
      }),
    );
  }

  app.route(comfyuiRoute(comfyuiShownFolders, async () => shownFolders(await nodes.definitions())));

  app.route(comfyuiRoute(comfyuiEmbeddings, async () => (await nodes.definitions()).embeddings));

  app.route(comfyuiRoute(comfyuiExtensions, () => extensions()));

  app.route(comfyuiRoute(comfyuiSystemStats, async () => poolStats(await instances.list())));

  app.route(comfyuiRoute(comfyuiFeatures, async () => featuresOf(uploadBytes)));

  app.route(comfyuiRoute(comfyuiFree, async (_request, reply) => reply.code(200).send()));

  app.route(comfyuiRoute(comfyuiLogsSubscribe, async (_request, reply) => reply.code(200).send()));
}

/** The calls that a page makes when it starts, and those that have no meaning for a pool. */
const constants: readonly [endpoint: Endpoint, answer: unknown][] = [
  [comfyuiTranslations, {}],
  [comfyuiTemplates, {}],
  [comfyuiSubgraphs, {}],
  [comfyuiReplacements, {}],
  [comfyuiFolderPaths, {}],
  [comfyuiRawLogs, { entries: [], size: { cols: 80, rows: 24 } }],
];

function addConstants(app: App): void {
  for (const [endpoint, answer] of constants) app.route(comfyuiRoute(endpoint, async () => answer));

  app.route(comfyuiRoute(comfyuiLogs, async (_request, reply) => reply.type(json).send('""')));

  app.route(
    comfyuiRoute(comfyuiDownloadMissing, async (_request, reply) =>
      reply
        .code(403)
        .type('text/plain; charset=utf-8')
        .send('403: The workers are shared. An administrator puts models on them.'),
    ),
  );
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
export function comfyuiRest(app: App): void {
  for (const url of [comfyuiBase, `${comfyuiBase}/*`]) {
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
