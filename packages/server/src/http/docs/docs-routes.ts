import { createHash } from 'node:crypto';
import { getDocs, getDocsAsset, getOpenApi } from '@switchyard/contract/meta';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Routes } from '../app.ts';
import type { OpenApiDocument } from '../openapi.ts';
import { pageHeaders } from '../security-headers.ts';
import { docsPage } from './docs-page.ts';
import { docsScript } from './docs-script.ts';
import { docsStyle } from './docs-style.ts';

/** A text that stays the same until the gateway is replaced. */
interface Page {
  type: string;
  text: string;
  etag: string;
}

/** The description of the interface, for programs and for people. Written when it is first asked for. */
export function docsRoutes(readDocument: () => OpenApiDocument): Routes {
  const openApi = once(() => page('application/json; charset=utf-8', JSON.stringify(readDocument())));
  const docs = once(() => page('text/html; charset=utf-8', docsPage(readDocument())));
  const assets = {
    'docs.css': page('text/css; charset=utf-8', docsStyle),
    'docs.js': page('text/javascript; charset=utf-8', docsScript),
  };

  return (app) => {
    app.route({ ...getOpenApi, handler: (request, reply) => sendPage(openApi(), request, reply) });
    app.route({
      ...getDocs,
      handler: (request, reply) => sendPage(docs(), request, reply.headers(pageHeaders)),
    });
    app.route({
      ...getDocsAsset,
      handler: (request, reply) => sendPage(assets[request.params.asset], request, reply),
    });
  };
}

/** Asked again each time, answered with 304 while it is the same. */
function sendPage({ type, text, etag }: Page, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({ 'cache-control': 'no-cache', etag });
  if (request.headers['if-none-match'] === etag) reply.code(304).send();
  else reply.type(type).send(text);
}

function page(type: string, text: string): Page {
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  return { type, text, etag: `W/"${digest}"` };
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
