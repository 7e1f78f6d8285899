import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Owner } from '../../lib/owner.ts';
import type { App } from '../app.ts';
import { customUserOf, ownerOf } from './guard.ts';
import type { CustomUser } from './identity.ts';

/** A request of a caller whom the operator's own authentication has let in, after its body was checked. */
export interface CustomCall {
  /** For example `GET /api/langgraph/threads/:thread_id`. A HEAD request reads what a GET request reads. */
  endpoint: string;
  /** The route takes the paths that no other one has, or there is none. */
  isRest: boolean;
  user: CustomUser;
  owner: Owner;
  headers: IncomingHttpHeaders;
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  /** The route gets what is here in the end. */
  body: unknown;
  /** Metadata for what the route makes, where it has no body for them. */
  metadata?: Record<string, unknown>;
  /** Sent in place of what the route would answer. */
  answer?: { headers: Record<string, string>; body: unknown };
}

/** Decides whether the route may answer. Throws what the client gets instead. */
export type DecideCall = (call: CustomCall) => Promise<void>;

/** Covers every route of the server. The hook runs after the body was checked, and before what a route does itself. */
export function guardCustomCalls(app: App, decide: DecideCall): void {
  app.addHook('preHandler', (request, reply, done) => {
    const user = customUserOf(request);
    if (!user) return done();
    const call = callOf(request, user);
    decide(call).then(() => {
      if (!apply(call, request, reply)) done();
    }, done);
  });
}

/** Returns the metadata that the operator's handler gives to what a request makes; null when none was asked. */
export function customMetadataOf(request: FastifyRequest): Record<string, unknown> | null {
  return metadataByRequest.get(request) ?? null;
}

const metadataByRequest = new WeakMap<FastifyRequest, Record<string, unknown>>();

function callOf(request: FastifyRequest, user: CustomUser): CustomCall {
  const { method, routeOptions, headers, params, query, body } = request;
  return {
    endpoint: `${method === 'HEAD' ? 'GET' : method} ${routeOptions.url ?? ''}`,
    isRest: request.is404 || routeOptions.config.takesRest === true,
    user,
    owner: ownerOf(request),
    headers,
    params: params as Record<string, unknown>,
    query: query as Record<string, unknown>,
    body,
  };
}

/** Returns true when the answer was sent. */
function apply(
  { body, metadata, answer }: CustomCall,
  request: FastifyRequest,
  reply: FastifyReply,
): boolean {
  request.body = body;
  if (metadata) metadataByRequest.set(request, metadata);
  if (answer) reply.headers(answer.headers).send(answer.body);
  return answer !== undefined;
}
