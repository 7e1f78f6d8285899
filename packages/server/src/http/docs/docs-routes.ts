import { getDocs, getDocsAsset, getOpenApi } from '@switchyard/contract/meta';
import { once } from '../../lib/once.ts';
import type { Routes } from '../app.ts';
import { compressWell } from '../shell/compression.ts';
import { pageHeaders } from '../shell/security-headers.ts';
import { docsPage } from './docs-page.ts';
import { docsScript } from './docs-script.ts';
import { docsStyle } from './docs-style.ts';
import type { OpenApiDocument } from './openapi.ts';
import { type Compress, PackedPage } from './packed-page.ts';

/**
 * The description of the interface, for programs and for people. It is written and compressed at the first request for
 * it.
 */
export function docsRoutes(
  readDocument: () => OpenApiDocument,
  { compress = compressWell }: { compress?: Compress } = {},
): Routes {
  const page = (type: string, text: string): PackedPage =>
    new PackedPage({ type: `${type}; charset=utf-8`, text, compress });
  const openApi = once(() => page('application/json', JSON.stringify(readDocument())));
  const docs = once(() => page('text/html', docsPage(readDocument())));
  const assets = {
    'docs.css': page('text/css', docsStyle),
    'docs.js': page('text/javascript', docsScript),
  };

  return (app) => {
    app.route({ ...getOpenApi, handler: (request, reply) => openApi().send(request, reply) });
    app.route({
      ...getDocs,
      handler: (request, reply) => docs().send(request, reply.headers(pageHeaders)),
    });
    app.route({
      ...getDocsAsset,
      handler: (request, reply) => assets[request.params.asset].send(request, reply),
    });
  };
}
