import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/app-error.ts';
import type { App, ErrorAnswer } from '../app.ts';
import { askForBody } from '../body/ask-for-body.ts';
import { pathOf } from '../request-path.ts';

type RestErrors = (error: AppError) => ErrorAnswer;

/** The methods of each path, which distinguish a wrong method from a wrong path. */
export class RouteTable {
  readonly #routes: { pattern: RegExp; methods: Set<string> }[] = [];
  readonly #byUrl = new Map<string, Set<string>>();
  readonly #errorsBelow = new Map<string, RestErrors>();

  add(url: string, methods: readonly string[]): void {
    const known = this.#byUrl.get(url) ?? new Set<string>();
    if (!this.#byUrl.has(url)) {
      this.#byUrl.set(url, known);
      this.#routes.push({ pattern: patternOf(url), methods: known });
    }
    for (const method of methods) known.add(method);
  }

  /** Sets the form of errors for unknown addresses: `/comfy/*` decides it for everything below `/comfy`. */
  addRest(url: string, errorAnswer: RestErrors): void {
    if (url.endsWith('/*')) this.#errorsBelow.set(url.slice(0, -1), errorAnswer);
  }

  /** Returns the form of errors at an address that the router could not read, so that no route has it. */
  errorsBelow(path: string): RestErrors | undefined {
    const bases = [...this.#errorsBelow.keys()].filter((base) => path.startsWith(base));
    return this.#errorsBelow.get(bases.sort((a, b) => b.length - a.length)[0] ?? '');
  }

  /** Returns the methods of every route that matches this path; empty for an unknown path. */
  methodsOf(path: string): string[] {
    const methods = new Set<string>();
    for (const route of this.#routes) {
      if (route.pattern.test(path)) for (const method of route.methods) methods.add(method);
    }
    return [...methods].sort();
  }

  /** Returns whether a route is at this path or below it. */
  hasBelow(path: string): boolean {
    return [...this.#byUrl.keys()].some((url) => url === path || url.startsWith(`${path}/`));
  }
}

export type PageHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

interface NotFoundOptions {
  routes: RouteTable;
  bodyBytes: number;
  /** Answers a browser that opens an unknown address; null when there is no page to show. */
  unknownPage: PageHandler | null;
}

/** Runs after the guard and after the body, so that without a session every path of the API looks the same. */
export function addNotFoundHandler(app: App, { routes, bodyBytes, unknownPage }: NotFoundOptions): void {
  const ask = askForBody(bodyBytes);
  app.addHook('preParsing', function (request, reply, payload, done) {
    if (request.is404) ask.call(this, request, reply, payload, done);
    else done(null, payload);
  });
  app.setNotFoundHandler((request, reply) => {
    refuseOtherMethod(request, reply, routes);
    if (unknownPage !== null && isNavigation(request)) return unknownPage(request, reply);
    throw new AppError('route_not_found');
  });
}

/** The first parts of addresses that belong to programs. They get the error there, whatever they accept. */
const programRoots = new Set(['api', 'v1', 'assets', 'docs', 'uploads', 'comfy', 'mcp']);

function isNavigation(request: FastifyRequest): boolean {
  const [, root = ''] = pathOf(request).split('/', 2);
  return request.method === 'GET' && acceptsHtml(request) && !programRoots.has(root);
}

/** A browser that opens an address names HTML among what it accepts. Programs accept JSON or anything. */
export function acceptsHtml({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') ?? false;
}

/** Throws when the path has routes for other methods only. */
export function refuseOtherMethod(
  request: FastifyRequest,
  reply: FastifyReply,
  routes: Pick<RouteTable, 'methodsOf'>,
): void {
  const methods = routes.methodsOf(pathOf(request));
  // A path with a part that is too long matches its route here and not in the router.
  if (methods.length === 0 || methods.includes(request.method)) return;
  reply.header('allow', methods.join(', '));
  throw new AppError('method_not_allowed');
}

/** Matches `/api/tasks/:taskId` and `/files/*` as the router does. */
function patternOf(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.+' : escapeText(part)))
    .join('/');
  return new RegExp(`^${source}/?$`);
}

function escapeText(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
