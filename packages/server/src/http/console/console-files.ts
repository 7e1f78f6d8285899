import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { consolePaths } from '@switchyard/contract/console-pages';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../../lib/app-error.ts';
import type { Routes } from '../app.ts';
import { chooseEncoding, varyByEncoding } from '../shell/compression.ts';
import { acceptsHtml } from '../shell/not-found.ts';
import { consoleHeaders } from '../shell/security-headers.ts';

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const endings = { br: '.br', gzip: '.gz' } as const;
const anyone = { access: 'public' } as const;
const fileName = Type.Object({ name: Type.String({ pattern: '^[\\w-][\\w.-]*$', maxLength: 200 }) });

/** The address where a page was before the server for MCP clients got it. Bookmarks still lead to the page. */
const movedPage = { from: '/mcp', to: '/mcp-servers' } as const;

/** Returns null without a folder, as in a gateway that runs from its sources: then there is no console. */
export function consoleFilesIn(folder: string | null): ConsoleFiles | null {
  return folder !== null && existsSync(join(folder, 'index.html')) ? new ConsoleFiles(folder) : null;
}

/**
 * The web console: the files that the build has made and compressed. Every address of the console answers its one page,
 * which finds out what to show. The name of an asset contains a hash of its content, so browsers keep it.
 */
export function consoleRoutes(files: ConsoleFiles | null): Routes {
  return (app) => {
    if (files === null) return;
    for (const url of consolePaths.flatMap(withAndWithoutLastPart)) {
      app.route({
        method: 'GET',
        url,
        config: anyone,
        handler: (request, reply) => files.sendPage(request, reply),
      });
    }
    app.route({
      method: 'GET',
      url: movedPage.from,
      config: anyone,
      handler: (request, reply) => {
        if (acceptsHtml(request)) return reply.redirect(movedPage.to);
        const others = app
          .methodsOf(movedPage.from)
          .filter((method) => method !== 'GET' && method !== 'HEAD');
        if (others.length === 0) throw new AppError('route_not_found');
        reply.header('allow', others.join(', '));
        throw new AppError('method_not_allowed');
      },
    });
    app.route({
      method: 'GET',
      url: '/icon.svg',
      config: anyone,
      handler: (request, reply) => files.send(request, reply, 'icon.svg'),
    });
    app.route({
      method: 'GET',
      url: '/assets/:name',
      config: anyone,
      schema: { params: fileName },
      handler: (request, reply) => {
        reply.header('cache-control', 'public, max-age=31536000, immutable');
        return files.send(request, reply, join('assets', request.params.name));
      },
    });
  };
}

/** `/tasks/:taskId?` is two routes. */
function withAndWithoutLastPart(path: string): string[] {
  if (!path.endsWith('?')) return [path];
  return [path.slice(0, path.lastIndexOf('/')), path.slice(0, -1)];
}

export class ConsoleFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The page itself changes with each version, so browsers ask for it each time. */
  sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.headers(consoleHeaders).header('cache-control', 'no-cache');
    return this.send(request, reply, 'index.html');
  }

  /** For an unknown address: the same page, which shows a message in the language of its user. */
  sendUnknown(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return this.sendPage(request, reply.code(404));
  }

  async send(request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> {
    const file = join(this.#folder, name);
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    const packed = encoding && (await readIfThere(file + endings[encoding]));
    const body = packed ?? (await readIfThere(file));
    if (body === undefined) throw new AppError('route_not_found');
    varyByEncoding(reply);
    if (packed !== undefined) reply.header('content-encoding', encoding);
    return reply.type(types[extname(file)] ?? 'application/octet-stream').send(body);
  }
}

/** Returns undefined for a file that does not exist: fonts, for example, have no compressed form. */
async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
