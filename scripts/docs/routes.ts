import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context } from '@switchyard/server/context';
import { buildServer } from '@switchyard/server/server';

interface RegisteredRoute {
  method: string;
  path: string;
  file: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** docs/reference/routes.md: one row for each route that the gateway registers, so that searching for a URL finds its file. */
export async function routesReference(context: Context): Promise<string> {
  const routes = await registeredRoutes(context);
  const rows = routes.map(
    ({ method, path, file }) => `| ${method} | \`${path}\` | [${file}](../../${file}) |`,
  );
  return `# Routes

Generated from the routes that a gateway registers by \`npm run docs\`. \`:name\` is one part of a path, \`*\` is the rest of it. Every
\`GET\` answers \`HEAD\` too.

| Method | Path | Handler |
| --- | --- | --- |
${rows.join('\n')}
`;
}

/** Builds the server a second time, without listening, and notes which file registers each route. */
async function registeredRoutes(context: Context): Promise<RegisteredRoute[]> {
  const found: RegisteredRoute[] = [];
  const app = await buildServer({
    shell: { ...context, corsOrigins: [], isHttps: false, version: 'current', hasReplicas: false },
    health: context.health,
    metrics: context.metrics,
    metricsToken: null,
    guard: (app) =>
      void app.addHook('onRoute', ({ method, url }) => {
        const file = registeringFile();
        for (const each of [method].flat())
          if (each !== 'HEAD') found.push({ method: each, path: url, file });
      }),
    isSignedIn: async () => false,
    consoleFolder: null,
    routes: context.routes,
  });
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
