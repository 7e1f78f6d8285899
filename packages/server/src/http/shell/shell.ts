import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import {
  type FastifyError,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchema,
  type FastifySerializerCompiler,
  fastify,
  type RouteOptions,
} from 'fastify';
import { AppError } from '../../lib/app-error.ts';
import { steadyClock } from '../../lib/clock.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { CorsPolicy } from '../access/cors.ts';
import type { App } from '../app.ts';
import type { Admission } from '../body/admission.ts';
import { askForBody, leaveAskingToRoutes } from '../body/ask-for-body.ts';
import { addBodyParsers } from '../body/body-parsers.ts';
import { requireMediaType } from '../body/media-type.ts';
import { refuseUnsafeAddress } from '../body/text-safety.ts';
import { answerBrokenRequest } from '../errors/broken-request.ts';
import { toAppError } from '../errors/error-mapping.ts';
import { sendError } from '../errors/errors.ts';
import { FrameworkLog } from '../errors/framework-log.ts';
import { Arrivals } from '../exchange/arrivals.ts';
import type { RequestTracker } from '../exchange/request-tracker.ts';
import { leaveBody } from '../exchange/unread-body.ts';
import { isProbe } from '../health-probe.ts';
import type { HttpLimits } from '../http-limits.ts';
import { takePathToken } from '../path-token.ts';
import { pathOf } from '../request-path.ts';
import type { OpenStreams } from '../streams/open-streams.ts';
import { ignoreUnknownFields } from '../validation/ignored-fields.ts';
import { RequestValidation } from '../validation/validation.ts';
import { addCompression } from './compression.ts';
import { Deprecations } from './deprecations.ts';
import { addNotFoundHandler, type PageHandler, RouteTable } from './not-found.ts';
import { apiHeaders, httpsHeaders } from './security-headers.ts';

export interface ShellOptions {
  logger: Logger;
  tracker: RequestTracker;
  streams: OpenStreams;
  admission: Admission;
  limits: HttpLimits;
  /** Origins that may call with credentials. */
  corsOrigins: readonly string[];
  /** Clients connect by https, directly or through a proxy. */
  isHttps: boolean;
  version: string;
  /** While it returns true, every response asks the client to use another connection for its next request. */
  isDraining: () => boolean;
  /** Others answer in its place: a proxy asks the next one for what this one leaves to them while it stops. */
  hasReplicas: boolean;
  /** The page for browsers at an address that nothing has; null in a gateway without a console. */
  unknownPage: PageHandler | null;
  /** Stands in front of each address of this listener, so that the routes of a part of the gateway are the whole of it. */
  base?: string;
}

/**
 * The server without routes: everything that applies to every request. In this order: limits and headers, CORS, (the
 * guard, which server.ts adds), type of the body, body, validation, handler; one renderer for all errors on the way.
 */
export function createShell(options: ShellOptions): App {
  const { limits, streams, tracker, admission } = options;
  const validation = new RequestValidation();
  const routes = new RouteTable();
  const arrivals = new Arrivals();
  const deprecations = new Deprecations(steadyClock);
  const prepare = headerWriter(options);

  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const appError = toAppError(error, request, validation);
    if (appError.status >= 500) tracker.noteCause(request, causeOf(appError));
    leaveBody(request.raw, reply.raw, appError.status);
    const { errorAnswer = routes.errorsBelow(pathOf(request)) } = request.routeOptions.config;
    return sendError(appError, { request, reply, errorAnswer });
  };

  const app: App = fastify({
    loggerInstance: options.logger,
    logController: new FrameworkLog(),
    genReqId: requestIdOf,
    rewriteUrl: addressBelow(options.base ?? ''),
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    connectionTimeout: limits.idleTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    http: {
      maxHeaderSize: limits.headBytes,
      // Node swaps the two when the part may take longer than the whole.
      headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
      connectionsCheckingInterval: 5_000,
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: limits.paramLength },
    // A request that arrives on an open connection while we close is served, and asked to close.
    return503OnClosing: false,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      prepare(request as FastifyRequest, reply as FastifyReply);
      fail(error, request as FastifyRequest, reply as FastifyReply);
    },
  });
  app.server.maxConnections = limits.connections;
  leaveAskingToRoutes(app.server);

  app.setValidatorCompiler(validation.compiler);
  app.setSerializerCompiler(answerWriters());
  app.setErrorHandler((error: FastifyError, request, reply) => fail(error, request, reply));
  addBodyParsers(app, admission);
  addCompression(app);
  addNotFoundHandler(app, { routes, bodyBytes: limits.bodyBytes, unknownPage: options.unknownPage });
  app.decorate('methodsOf', (path: string) => routes.methodsOf(path));
  app.decorate('hasRoutesBelow', (path: string) => routes.hasBelow(path));
  app.addHook('onRoute', (route) => {
    const { takesRest, errorAnswer } = route.config ?? {};
    if (!takesRest) routes.add(route.url, [route.method].flat());
    else if (errorAnswer) routes.addRest(route.url, errorAnswer);
    applyEndpoint(route, limits);
    const { deprecated } = route.config ?? {};
    if (deprecated)
      route.onRequest = [
        deprecations.announce(`${route.method} ${route.url}`, deprecated),
        route.onRequest ?? [],
      ].flat();
  });
  app.addHook('onRequest', (request, reply, done) => {
    try {
      const preflight = prepare(request, reply);
      tracker.start({ request, reply, held: streams.answersHeld() + admission.openSockets });
      admission.cutFlood(request, reply);
      if (admission.isDropped(request)) return void reply.hijack();
      refuseRepeatedHost(request.raw.rawHeaders);
      if (preflight) return void reply.code(204).send();
      if (options.hasReplicas && options.isDraining()) leaveToReplicas(request);
      if (request.url.includes('%')) refuseUnsafeAddress(request.url);
      const { inOrderOf: target } = request.routeOptions.config;
      if (target) arrivals.note({ request, reply, target });
      done();
    } catch (error) {
      done(error as Error);
    }
  });
  app.addHook('preValidation', (request, reply, done) => {
    try {
      admission.admitOpenRequest(request, reply);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
  app.addHook('preHandler', (request, reply, done) => {
    if (admission.isDropped(request)) reply.hijack();
    else done();
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    done(null, request.method === 'HEAD' ? withoutReading(payload) : payload);
  });
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.headers.upgrade !== undefined) request.raw.socket?.destroySoon();
    done();
  });
  app.addHook('preClose', (done) => {
    // They are asked to end, but not awaited: the server itself waits for their connections.
    void streams.closeAll();
    done();
  });
  return app;
}

/**
 * A proxy that gets 503 asks the next replica, and leaves this one out for a while, so that it can close its listener
 * unseen. It repeats only what changes nothing, so everything else is answered here to the end.
 */
function leaveToReplicas(request: FastifyRequest): void {
  if (['GET', 'HEAD'].includes(request.method) && !isProbe(request)) throw new AppError('shutting_down');
}

/** The framework answers HEAD with the headers of GET, and would read a stream to its end in order to throw it away. */
function withoutReading(payload: unknown): unknown {
  if (!(payload instanceof Readable)) return payload;
  payload.destroy();
  return Readable.from([]);
}

/** The properties of an endpoint become the route's settings. The guard decides who may call. */
function applyEndpoint(route: RouteOptions, limits: HttpLimits): void {
  const { config, schema } = route;
  const bodyLimit = config?.bodyLimit === 'large' ? limits.largeBodyBytes : config?.bodyLimit;
  if (bodyLimit !== undefined) route.bodyLimit = bodyLimit;
  const { consumes, body } = (schema ?? {}) as { consumes?: readonly string[]; body?: unknown };
  const mediaTypes = consumes ?? ['application/json'];
  const maxBytes = route.bodyLimit ?? limits.bodyBytes;
  // A public endpoint has no caller whose credential could allow it.
  const untypedJson = config?.untypedJson === true && config.access !== 'public';
  const accepted = { accepted: mediaTypes, untypedJson };
  const checksType = config?.takesRest ? [] : requireMediaType(accepted);
  route.preParsing = [checksType, askForBody(maxBytes), route.preParsing ?? []].flat();
  const ignoring = body === undefined ? undefined : ignoreUnknownFields(body);
  if (ignoring) route.preHandler = [ignoring, route.preHandler ?? []].flat();
}

/** Writes the headers that every response has. Returns true for a preflight, which needs nothing else. */
function headerWriter(options: ShellOptions): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const cors = new CorsPolicy(options.corsOrigins);
  const always = {
    ...apiHeaders,
    ...(options.isHttps && httpsHeaders),
    ...(cors.isActive && { vary: 'Origin' }),
  };
  return (request, reply) => {
    reply.headers(always);
    reply.header('x-request-id', request.id);
    // After a response to a request for another protocol, the server no longer manages the connection: no code would
    // read it or time it out.
    if (options.isDraining() || request.headers.upgrade !== undefined) reply.header('connection', 'close');
    const preflight = cors.preflight(request.method, request.headers);
    const granted = preflight ?? cors.headersFor(request.headers.origin);
    if (granted) reply.headers(granted);
    return preflight !== undefined;
  };
}

/** Returns the thrower's reason if there is one, or else the place where the error was thrown. */
function causeOf(error: AppError): unknown {
  return error.cause ?? error;
}

/**
 * An answer is written by its schema. The writer is compiled when the first such answer is sent, so start-up does not
 * wait for those of all routes.
 */
function answerWriters(): FastifySerializerCompiler<FastifySchema> {
  const compile = SerializerSelector()();
  return ({ httpStatus = 'default', ...route }) => {
    let write: ((value: unknown) => string) | null = null;
    return (value) => {
      write ??= compile({ ...route, httpStatus });
      return write(value);
    };
  };
}

/** RFC 9112, 3.2: a proxy in front may have used the second header. Node keeps the first and reports nothing. */
function refuseRepeatedHost(rawHeaders: readonly string[] | undefined): void {
  if (rawHeaders === undefined) return;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) throw new AppError('host_repeated');
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Returns the caller's own id when it is a UUID, so that a trace can be followed. Anything else could forge log lines.
 */
function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && uuid.test(given) ? given.toLowerCase() : randomUUID();
}

/** Returns the address as routes know it. */
function addressBelow(base: string): (request: IncomingMessage) => string {
  return (request) => {
    if (request.url?.startsWith('/')) request.url = base + request.url;
    return takePathToken(request);
  };
}
