import type { Client, JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { McpServer } from '@switchyard/contract/conversation/mcp';
import { deadline } from '../../lib/async/deadline.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import { boundedFetch, type Fetch } from '../../lib/bounded-fetch.ts';
import { withoutPatterns } from './schema-patterns.ts';

export interface McpToolDescription {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

export interface McpSession {
  client: Client;
  tools: McpToolDescription[];
  close(): Promise<void>;
}

const maxTools = 200;
/** A server could name further pages for ever; pages beyond this number are not read. */
const maxPages = 20;
/** The limit for one answer, which is read into memory; far more than a model is shown of it. */
const maxAnswerBytes = 16 * 1024 * 1024;

/** Names the extension by which a server answers a call with a task. */
const tasksExtension = 'io.modelcontextprotocol/tasks';
/** The place in a result where its task is. */
export const taskKey = 'switchyard/task';

/** Connects and lists the tools. The SDK is loaded with the first server that is used. */
export async function openMcpSession(
  server: McpServer,
  {
    version,
    fetch,
    signal: given,
    onToolsChanged,
    onClosed,
  }: {
    /** The gateway's name and version, as servers see them. */
    version: string;
    /** For servers over HTTP. */
    fetch: Fetch;
    /** Ends an attempt to connect. */
    signal?: AbortSignal;
    /** Called when the server's tools have changed. */
    onToolsChanged: () => void;
    /** Called when the connection is closed, by either side. */
    onClosed: () => void;
  },
): Promise<McpSession> {
  const { Client: McpClient } = await import('@modelcontextprotocol/client');
  const client = new McpClient(
    { name: 'switchyard', version },
    {
      versionNegotiation: { mode: 'auto' },
      capabilities: { elicitation: { form: {} }, extensions: { [tasksExtension]: {} } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
    },
  );
  const transport = await transportTo(server, fetch);
  const timeout = server.session_init_timeout * 1_000;
  // The time limit covers connecting and listing together, and also applies to a server that sends nothing at all.
  const { signal } = deadline(timeout, given);
  try {
    // A server of an older revision asks while a call is under way, and its question would be lost with this process.
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
    await within(signal, client.connect(transport, { timeout, signal }));
    const deliver = transport.onmessage;
    transport.onmessage = (message, extra) => deliver?.(withTaskInside(message), extra);
    const tools = await within(signal, listTools(client, { timeout, signal }));
    client.onclose = onClosed;
    return { client, tools, close: () => client.close() };
  } catch (error) {
    await client.close().catch(() => undefined);
    throw error;
  }
}

export async function listTools(
  client: Client,
  options: { timeout: number; signal?: AbortSignal },
): Promise<McpToolDescription[]> {
  const tools: McpToolDescription[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    pages += 1;
    // Asks for each page, since the client's own list of all pages fails as a whole when it has too many.
    const params = { ...(cursor !== undefined && { cursor }) };
    const page = await client.request({ method: 'tools/list', params }, options);
    for (const { name, description = '', inputSchema } of page.tools) {
      tools.push({
        name,
        description: description.slice(0, 4_000),
        inputSchema: withoutPatterns(inputSchema),
      });
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined && tools.length < maxTools && pages < maxPages);
  return tools.slice(0, maxTools);
}

async function transportTo(server: McpServer, fetch: Fetch): Promise<Transport> {
  if (server.type === 'stdio') {
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    const { command, args, env } = server;
    return new StdioClientTransport({ command: command ?? '', args, env, stderr: 'ignore' });
  }
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { url, headers } = server;
  // The SDK's class does not use exactOptionalPropertyTypes, so it does not fit its own interface.
  return new StreamableHTTPClientTransport(new URL(url ?? ''), {
    requestInit: { headers },
    fetch: boundedFetch(fetch, { maxBytes: maxAnswerBytes }),
  }) as Transport;
}

/** The client refuses a result that is a task, so it gets an empty one that has the task inside. */
function withTaskInside(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || message.result.resultType !== 'task') return message;
  const { resultType: _is, ...task } = message.result;
  return { ...message, result: { resultType: 'complete', content: [], _meta: { [taskKey]: task } } };
}

/** Some steps of connecting ignore their signal. */
async function within<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  const { promise: tooLate, reject } = newDeferred<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
