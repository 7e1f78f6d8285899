import { comfyuiBase } from '@switchyard/contract/doors/comfyui-address';
import { comfyuiPageEntrance, comfyuiTemplateSource } from '@switchyard/contract/doors/comfyui-page';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Sessions } from '../../accounts/sessions.ts';
import type { PoolNodes } from '../../dispatch/instances/pool-nodes.ts';
import type { SavedWorkflows } from '../../dispatch/workflows/saved-workflows.ts';
import { pageCookie } from '../../http/access/cookie.ts';
import { type Guard, ownerOf } from '../../http/access/guard.ts';
import type { App, ErrorAnswer, Routes } from '../../http/app.ts';
import { AppError } from '../../lib/app-error.ts';
import { answerRange } from '../../platform/files/serve-range.ts';
import { comfyuiErrorText } from './comfyui-errors.ts';
import type { PageFiles, ShownFile } from './page-files.ts';
import { isKeptForever, workerPathOf } from './page-paths.ts';
import { drawWorkflow } from './workflow-layout.ts';

export interface PageRoutesOptions {
  files: Pick<PageFiles, 'read' | 'readFresh'>;
  sessions: Pick<Sessions, 'redeem'>;
  savedWorkflows: Pick<SavedWorkflows, 'get'>;
  nodes: Pick<PoolNodes, 'definitions'>;
  guard: Pick<Guard, 'isHttps'>;
  /** Addresses of custom nodes that an administrator lets the page read. */
  listed: readonly string[];
}

/**
 * Scripts of workers run here. They may call this origin and no other, stand in no frame, and outlive no session:
 * without a service worker, nothing of them is left in the browser that could answer for this origin later.
 */
const pageHeaders = {
  'content-security-policy':
    "default-src 'self' data: blob:; script-src 'self' blob: 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
    "connect-src 'self' data: blob:; worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const;

const reads = { access: 'dispatch:read', door: 'comfyui', errorAnswer: comfyuiErrorText } as const;

/** The page of one worker, on an origin of its own. */
export function pageRoutes(options: PageRoutesOptions): Routes {
  return (app) => {
    addEntrance(app, options);
    addTemplates(app, options);
    addFiles(app, options);
  };
}

function addEntrance(app: App, { sessions, guard }: PageRoutesOptions): void {
  app.route({
    method: 'GET',
    url: `${comfyuiBase}${comfyuiPageEntrance}`,
    config: { access: 'public', errorAnswer: strangerPage },
    handler: async (request, reply) => {
      const { ticket, template, source } = request.query as Record<string, unknown>;
      const { token, expiresInSeconds } = await sessions.redeem(String(ticket));
      const cookie = pageCookie({ token, maxAgeSeconds: expiresInSeconds, secure: guard.isHttps(request) });
      const opened =
        typeof template === 'string' && typeof source === 'string'
          ? `/?${new URLSearchParams({ template, source })}`
          : '/';
      return reply.header('set-cookie', cookie).redirect(opened, 303);
    },
  });
}

/** The page opens a template that its address names, so it gets a saved workflow as a template. */
function addTemplates(app: App, { savedWorkflows, nodes }: PageRoutesOptions): void {
  app.route({
    method: 'GET',
    url: `${comfyuiBase}/workflow_templates/${comfyuiTemplateSource}/:name`,
    config: reads,
    handler: async (request) => {
      const { name } = request.params as { name: string };
      const [, id] = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.json$/.exec(name) ?? [];
      if (id === undefined) throw new AppError('workflow_not_found');
      const { workflow } = await savedWorkflows.get(ownerOf(request), id);
      return drawWorkflow(
        workflow as Parameters<typeof drawWorkflow>[0],
        (await nodes.definitions()).classes,
      );
    },
  });
}

function addFiles(app: App, { files, listed }: PageRoutesOptions): void {
  app.route({
    method: 'GET',
    url: comfyuiBase,
    config: { ...reads, errorAnswer: strangerPage },
    handler: async (request, reply) => {
      const file = await files.read('/');
      if (!file) throw new AppError('comfyui_page_away');
      return send(request, reply, { file, caching: 'no-cache' });
    },
  });

  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: `${comfyuiBase}/*`,
    config: { ...reads, takesRest: true },
    handler: async (request, reply) => {
      refuseServiceWorker(request);
      const path = workerPathOf(request.url.slice(comfyuiBase.length), listed);
      if (path === null) throw new AppError('route_not_found');
      if (request.method !== 'GET') throw new AppError('method_not_allowed');
      const isStatic = workerPathOf(request.url.slice(comfyuiBase.length), []) !== null;
      const file = await (isStatic ? files.read(path) : files.readFresh(path));
      if (!file) throw new AppError('route_not_found');
      const caching = isStatic && isKeptForever(path) ? 'private, max-age=31536000, immutable' : 'no-cache';
      return send(request, reply, { file, caching: isStatic ? caching : 'no-store' });
    },
  });
}

function refuseServiceWorker({ headers }: FastifyRequest): void {
  if (headers['service-worker'] !== undefined) throw new AppError('route_not_found');
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { file: { body, contentType, etag }, caching }: { file: ShownFile; caching: string },
): FastifyReply {
  reply.headers({ ...pageHeaders, 'cache-control': caching, etag });
  const ifNoneMatch = request.headers['if-none-match'];
  if (answerRange({ ifNoneMatch }, { etag, sizeBytes: body.length }).status === 304)
    return reply.code(304).send();
  return reply.type(contentType).send(body);
}

/** For a person whose browser has no session here. */
function strangerPage(error: AppError): ErrorAnswer {
  const { status } = comfyuiErrorText(error);
  const text =
    status === 401
      ? 'Open ComfyUI from the console of the gateway, where you sign in.'
      : (comfyuiErrorText(error).body.split(': ').slice(1).join(': ') ?? '');
  const escaped = text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return {
    status,
    contentType: 'text/html; charset=utf-8',
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>ComfyUI</title><p>${escaped}</p></html>`,
  };
}
