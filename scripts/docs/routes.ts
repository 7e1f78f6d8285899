import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { comfyuiBase } from '@switchyard/contract/doors/comfyui-address';
import type { Context } from '@switchyard/server/context';
import type { App } from '@switchyard/server/http/app';
import { buildPageServer, buildServer, type ServerOptions } from '@switchyard/server/server';

interface RegisteredRoute {
  method: string;
  path: string;
  file: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** docs/reference/routes.md: one row for each route that the gateway registers, so that searching for a URL finds its file. */
export async function routesReference(context: Context): Promise<string> {
  const { metrics, health, routes, page } = context;
  if (!page) throw new Error("The gateway has no listener for ComfyUI's page.");
  const shell = { ...context, corsOrigins: [], isHttps: false, version: 'current', hasReplicas: false };
  const own = await registeredRoutes((guard) =>
    buildServer({
      shell,
      health,
      metrics,
      metricsToken: null,
      guard,
      isSignedIn: async () => false,
      consoleFolder: null,
      routes,
    }),
  );
  const ofPage = await registeredRoutes((guard) =>
    buildPageServer({ shell, health, guard, routes: page.routes }),
  );
  const atItsRoot = ofPage.map((route) => ({ ...route, path: route.path.slice(comfyuiBase.length) || '/' }));
  return `# Routes

Generated from the routes that a gateway registers by \`npm run docs\`. \`:name\` is one part of a path, \`*\` is the rest of it. Every
\`GET\` answers \`HEAD\` too. Each path directly below \`${comfyuiBase}\` is below \`${comfyuiBase}/api\` as well.

${tableOf(own)}

## The page of ComfyUI

The routes of the listener at \`doors.comfyui.port\`. Each is below \`/api\` as well.

${tableOf(atItsRoot)}
`;
}

function tableOf(routes: readonly RegisteredRoute[]): string {
  const rows = routes.map(
    ({ method, path, file }) => `| ${method} | \`${path}\` | [${file}](../../${file}) |`,
  );
  return `| Method | Path | Handler |\n| --- | --- | --- |\n${rows.join('\n')}`;
}

/** Builds a server a second time, without listening, and notes which file registers each route. */
async function registeredRoutes(
  build: (guard: ServerOptions['guard']) => Promise<App>,
): Promise<RegisteredRoute[]> {
  const found: RegisteredRoute[] = [];
  const app = await build(
    (app) =>
      void app.addHook('onRoute', ({ method, url }) => {
        const file = registeringFile();
        for (const each of [method].flat())
          if (each !== 'HEAD') found.push({ method: each, path: url, file });
      }),
  );
  await app.close();
  return found.sort((a, b) => compare(a.path, b.path) || compare(a.method, b.method));
}

/** The file of the server that called the framework; the stack of an error shows the callers. */
function registeringFile(): string {
  const lines = (new Error('registered').stack ?? '').split('\n');
  const paths = lines.flatMap(
    (line) => /((?:file:\/\/)?\/[^()]*?\.ts)(?:\?[^:]*)?:\d+/.exec(line)?.[1] ?? [],
  );
  const files = paths.map((path) => relative(root, path.startsWith('file:') ? fileURLToPath(path) : path));
  const file = files.find((path) => path.startsWith('packages/server/src/'));
  if (file === undefined) throw new Error(`No file of the server is in the stack:\n${lines.join('\n')}`);
  return file;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
