import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { grantableScopes } from '@switchyard/contract/accounts/client-grant';
import { mcpCall, mcpKeyCall } from '@switchyard/contract/doors/mcp';
import type { Endpoint } from '@switchyard/contract/endpoint';
import { isRecord } from '@switchyard/contract/is-record';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Assistants } from '../../conversation/catalog/assistants.ts';
import type { RunReasons } from '../../conversation/runs/run-reasons.ts';
import type { Runs } from '../../conversation/runs/runs.ts';
import type { DispatchArea } from '../../dispatch/create-dispatch.ts';
import type { Waiting } from '../../dispatch/waiting/waiting.ts';
import { type Guard, identityOf, isAdmin } from '../../http/access/guard.ts';
import type { ErrorAnswer, Routes } from '../../http/app.ts';
import { neutralText } from '../../http/errors/errors.ts';
import { traceOf } from '../../http/exchange/request-traces.ts';
import { type HeldText, replyWhenKnown, whileOpen } from '../../http/streams/held-answer.ts';
import type { OpenStream, OpenStreams } from '../../http/streams/open-streams.ts';
import { sendEvents } from '../../http/streams/sse.ts';
import { AppError } from '../../lib/app-error.ts';
import { once } from '../../lib/once.ts';
import type { WorkerPrice } from '../../lib/worker-price.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { AgentWorks } from './agent-works.ts';
import { McpTools } from './mcp-tools.ts';
import type { McpCaller } from './mcp-work.ts';
import { WorkflowWorks } from './workflow-works.ts';

export interface McpDoorOptions {
  /** Null when the area is switched off. */
  pool:
    | (Pick<DispatchArea, 'tasks' | 'savedWorkflows' | 'files' | 'instances'> & { waiting: Waiting })
    | null;
  agents: { runs: Runs; assistants: Assistants; runReasons: RunReasons } | null;
  price: WorkerPrice | null;
  guard: Pick<Guard, 'originOf' | 'checkOrigin'>;
  openStreams: Pick<OpenStreams, 'open'>;
  version: string;
  log: Logger;
  /** The address that describes how to sign in, for the answer to a caller without a credential; null when there is no sign-in. */
  resourceMetadata: (() => string) | null;
}

const endpoints: readonly Endpoint[] = [mcpCall, mcpKeyCall];

/** What a client may do about the status of an answer: sign in, or ask its user for more. */
const signInFaults: Partial<Record<number, string>> = { 401: '', 403: 'error="insufficient_scope", ' };
const scopesOfCalls = grantableScopes.join(' ');

/** Workflows and agents as tools of the Model Context Protocol. The door keeps nothing of its own: its tasks are tasks and runs. */
export function mcpRoutes(options: McpDoorOptions): Routes {
  const { guard, openStreams, resourceMetadata } = options;
  const tools = new McpTools({
    pool: options.pool && {
      ...options.pool,
      works: new WorkflowWorks({ ...options.pool, price: options.price }),
    },
    agents: options.agents && new AgentWorks(options.agents),
  });
  const handler = once(async () => (await import('./mcp-server.ts')).newMcpHandler({ ...options, tools }));
  return (app) => {
    for (const endpoint of endpoints) {
      app.route({
        ...endpoint,
        config: { ...endpoint.config, errorAnswer },
        onSend: async (_request, reply, payload) => {
          const fault = signInFaults[reply.statusCode];
          if (resourceMetadata && endpoint === mcpCall && fault !== undefined)
            reply.header(
              'www-authenticate',
              `Bearer ${fault}resource_metadata="${resourceMetadata()}", scope="${scopesOfCalls}"`,
            );
          return payload;
        },
        handler: async (request, reply) => {
          guard.checkOrigin(request);
          if (!isRecord(request.body)) throw oneMessage();
          const caller = callerOf(request, guard);
          await whileOpen({ openStreams, request }, 'held_request', async (open) =>
            answer({ request, reply, open, caller, handler: await handler() }),
          );
          return reply;
        },
      });
    }
  };
}

interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
  open: OpenStream;
  caller: McpCaller;
  handler: McpHttpHandler;
}

async function answer({ request, reply, open, caller, handler }: Exchange): Promise<void> {
  const { body } = request;
  const authInfo = { token: '', clientId: caller.userId, scopes: [], extra: { caller } };
  const answered = handler.fetch(webRequest(request, open.signal), { authInfo, parsedBody: body });
  if (isHeld(body as Record<string, unknown>)) {
    await replyWhenKnown(request, reply, { answer: heldText(answered, reply), open });
    return;
  }
  const response = await answered;
  const { body: stream } = response;
  if (stream && response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const source = () => stream as AsyncIterable<Uint8Array>;
    await sendEvents(request, reply, { openStreams: { open: () => open }, source });
    return;
  }
  open.close();
  const text = await response.text();
  reply.code(response.status).headers(ownHeaders(response));
  if (text === '') await reply.send();
  else await reply.type('application/json; charset=utf-8').send(text);
}

/** Returns true for a call whose answer may take minutes, and whose client has not asked for messages meanwhile. */
function isHeld({ method, params }: Record<string, unknown>): boolean {
  const meta = isRecord(params) && isRecord(params._meta) ? params._meta : {};
  const isModern = 'io.modelcontextprotocol/protocolVersion' in meta;
  return method === 'tools/call' && isModern && meta.progressToken === undefined;
}

async function heldText(answered: Promise<Response>, reply: FastifyReply): Promise<HeldText> {
  const response = await answered;
  const text = await response.text();
  if (!reply.sent) reply.code(response.status);
  return { text, headers: ownHeaders(response) };
}

/** Nothing but the headers that the protocol reads. */
function webRequest({ method, url, headers }: FastifyRequest, signal: AbortSignal): Request {
  const read = Object.entries(headers).filter(([name]) => /^(mcp-.*|accept|content-type)$/.test(name));
  const given = new Headers(read.map(([name, value]) => [name, String(value)]));
  return new Request(new URL(url, 'http://gateway'), { method, headers: given, signal });
}

function ownHeaders({ headers }: Response): Record<string, string> {
  const allow = headers.get('allow');
  return allow === null ? {} : { allow };
}

function callerOf(request: FastifyRequest, guard: Pick<Guard, 'originOf'>): McpCaller {
  const identity = identityOf(request);
  return {
    userId: identity.userId,
    scopes: identity.scopes,
    byAdmin: isAdmin(identity),
    origin: guard.originOf(request),
    requestId: request.id,
    traceparent: traceOf(request),
  };
}

function oneMessage(): AppError {
  return new AppError('validation_failed', {
    status: 400,
    message: 'The body is one message of JSON-RPC, an object. Send several messages in several requests.',
  });
}

/** Errors of the gateway in the form of the protocol: clients read nothing else. */
function errorAnswer(error: AppError): ErrorAnswer {
  const message = error.faults?.[0]?.message ?? neutralText(error);
  const rpcError = { code: rpcCodeOf(error), message, data: { error: error.code } };
  return {
    status: error.status === 422 ? 400 : error.status,
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify({ jsonrpc: '2.0', id: null, error: rpcError }),
  };
}

function rpcCodeOf({ code, status, faults }: AppError): number {
  if (code === 'body_malformed' || faults?.[0]?.type === 'json_invalid') return -32700;
  if (status >= 500) return -32603;
  return status === 400 || status === 422 ? -32600 : -32000;
}
