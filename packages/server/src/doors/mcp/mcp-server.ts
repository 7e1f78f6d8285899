import {
  type CallToolResult,
  createMcpHandler,
  type McpHttpHandler,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { neutralText } from '../../http/errors/errors.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { type McpCallOutcome, type McpTools, resultOf } from './mcp-tools.ts';
import type { McpCaller, McpQuestion, McpWork } from './mcp-work.ts';

export interface McpServerOptions {
  tools: McpTools;
  version: string;
  log: Logger;
}

const tasksExtension = 'io.modelcontextprotocol/tasks';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const pollIntervalMs = 1_000;
const maxSubscriptions = 1_000;

const instructions = `Switchyard runs saved workflows on a pool of workers (workflow_… tools) and asks agents (ask_… tools).
A call may take minutes. It goes on when the connection ends: get_task finds it by its task id, why_task tells why it waits, cancel_task stops it.
upload_file keeps a file for a parameter that takes one.`;

const taskParams = z.looseObject({ taskId: z.string().max(200) });
const responses = z.record(
  z.string().max(200),
  z.looseObject({
    action: z.enum(['accept', 'decline', 'cancel']),
    content: z.record(z.string(), z.unknown()).optional(),
  }),
);

/**
 * Speaks the protocol in its present revision and in the older ones. Each request has a server of its own, so nothing is kept between
 * them. Loaded with the first request, because the package of the protocol takes memory and time.
 */
export function newMcpHandler(options: McpServerOptions): McpHttpHandler {
  return createMcpHandler(
    ({ authInfo, era }) => {
      if (!authInfo) throw new Error('The route gives each request its caller.');
      return serverFor(authInfo.extra?.caller as McpCaller, era, options);
    },
    {
      onerror: (error) => options.log.debug({ err: error }, 'A message of an MCP client was refused'),
      maxSubscriptions,
    },
  );
}

function serverFor(caller: McpCaller, era: 'legacy' | 'modern', { tools, version, log }: McpServerOptions) {
  const extensions = { [tasksExtension]: {} };
  const server = new Server(
    { name: 'switchyard', title: 'Switchyard', version },
    { capabilities: { tools: {}, ...(era === 'modern' && { extensions }) }, instructions },
  );
  server.setRequestHandler('tools/list', async () => ({
    tools: await orProtocolError(tools.list(caller), log),
  }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }, context) => {
    const outcome = await callTool(caller, { name, args }, { tools, log });
    if ('result' in outcome) return outcome.result;
    // The type of the package knows no such result, but it leaves one as it is.
    if (declaresTasks(context))
      return { resultType: 'task', ...taskOf(outcome.work) } as unknown as CallToolResult;
    return whileFollowed(caller, outcome, context).catch((error: unknown) => failed(error, log));
  });
  server.setRequestHandler('tasks/get', { params: taskParams }, ({ taskId }) =>
    orProtocolError(tools.look(caller, taskId).then(detailedTaskOf), log),
  );
  server.setRequestHandler('tasks/cancel', { params: taskParams }, async ({ taskId }) => {
    await orProtocolError(tools.cancel(caller, taskId), log);
    return {};
  });
  server.setRequestHandler('tasks/update', { params: taskParams }, async ({ taskId }, { mcpReq }) => {
    await orProtocolError(tools.answer(caller, taskId, answersIn(mcpReq)), log);
    return {};
  });
  return server;
}

async function callTool(
  caller: McpCaller,
  { name, args }: { name: string; args: Record<string, unknown> },
  { tools, log }: Pick<McpServerOptions, 'tools' | 'log'>,
): Promise<McpCallOutcome> {
  try {
    const outcome = await tools.call(caller, name, args);
    if (outcome) return outcome;
  } catch (error) {
    return { result: failed(error, log) };
  }
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool ${name.slice(0, 100)}. tools/list names those that you have.`,
  );
}

function declaresTasks({ mcpReq }: ServerContext): boolean {
  const declared = (mcpReq.envelope as Record<string, unknown> | undefined)?.[capabilitiesKey] as
    | { extensions?: Record<string, unknown> }
    | undefined;
  return declared?.extensions?.[tasksExtension] !== undefined;
}

/** Waits for the end of the work, with messages about its progress when the client wants them. The first one names its id. */
async function whileFollowed(
  caller: McpCaller,
  { work, works }: Extract<McpCallOutcome, { work: McpWork }>,
  { mcpReq }: ServerContext,
): Promise<CallToolResult> {
  const { signal, _meta } = mcpReq;
  const progressToken = _meta?.progressToken;
  let last = -1;
  let told = '';
  const tell = async (percent: number, message: string): Promise<void> => {
    if (progressToken === undefined || message === told) return;
    told = message;
    // Each message has to have a higher value than the one before.
    last = Math.max(percent, last + 0.01);
    const params = { progressToken, progress: last, total: 100, message };
    await mcpReq.notify({ method: 'notifications/progress', params });
  };
  await tell(0, `Task ${work.id}. ${work.message}`);
  let present = work;
  while (present.status === 'working') {
    for await (const { percent, message } of works.follow(caller, work.id, signal))
      await tell(percent, message);
    signal.throwIfAborted();
    present = await works.look(caller, work.id);
  }
  return resultOf(present);
}

function taskOf({ id, status, message, createdAt, updatedAt }: McpWork) {
  return {
    taskId: id,
    status,
    statusMessage: message,
    createdAt,
    lastUpdatedAt: updatedAt,
    ttlMs: null,
    pollIntervalMs,
  };
}

async function detailedTaskOf(work: McpWork): Promise<Result> {
  const task = taskOf(work);
  if (work.status === 'completed')
    return { ...task, result: { resultType: 'complete', ...(await work.result()) } };
  if (work.status !== 'input_required') return task;
  const inputRequests = Object.fromEntries(
    work.questions.map((question) => [question.key, inputOf(question)]),
  );
  return { ...task, inputRequests };
}

function inputOf({ message, isApproval }: McpQuestion) {
  const answer = isApproval
    ? { type: 'string', title: 'Decision', enum: ['approve', 'reject'] }
    : { type: 'string', title: 'Answer' };
  const requestedSchema = { type: 'object', properties: { answer }, required: ['answer'] };
  return { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } };
}

/** The package takes the answers out of the params. */
function answersIn({ inputResponses }: ServerContext['mcpReq']): Record<string, string | null> {
  const { success, data } = responses.safeParse(inputResponses);
  if (!success) {
    const form = '{ "<key>": { "action": "accept", "content": { "answer": "…" } } }';
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `inputResponses: send ${form}.`);
  }
  const answers = Object.entries(data).map(([key, { action, content }]) => [
    key,
    action === 'accept' ? wordsIn(content) : null,
  ]);
  return Object.fromEntries(answers);
}

function wordsIn(content: Record<string, unknown> | undefined): string {
  const { answer } = content ?? {};
  return typeof answer === 'string' ? answer : JSON.stringify(content ?? {});
}

/** A fault of a tool is a result, which the model reads. */
function failed(error: unknown, log: Logger): CallToolResult {
  const known = appErrorOf(error, log);
  const text = textOf(known);
  return {
    isError: true,
    content: [{ type: 'text', text }],
    structuredContent: { error: { code: known.code, message: text } },
  };
}

async function orProtocolError<Value>(value: Promise<Value>, log: Logger): Promise<Value> {
  try {
    return await value;
  } catch (error) {
    const known = appErrorOf(error, log);
    const code = known.status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, textOf(known), { error: known.code });
  }
}

function appErrorOf(error: unknown, log: Logger): AppError {
  if (error instanceof AppError) return error;
  log.error({ err: error }, 'A call of an MCP client failed');
  return new AppError('internal_error', { cause: error });
}

function textOf(error: AppError): string {
  const faults = (error.faults ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
  return faults.length === 0 ? neutralText(error) : faults.join('\n');
}
