import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { type CallToolResult, createMcpHandler, Server } from '@modelcontextprotocol/server';
import { z } from 'zod';

export interface RemoteTask {
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  statusMessage?: string;
  inputRequests?: Record<string, object>;
  result?: object;
  error?: object;
  /** What the client has answered, by the key of the question. */
  answers: Record<string, unknown>;
}

export interface McpTaskServer {
  url: string;
  /** By their ids, in the order in which calls made them. */
  tasks: Map<string, RemoteTask>;
  /** While it is true, no request is answered. */
  isAway: boolean;
  close(): Promise<void>;
}

const extension = 'io.modelcontextprotocol/tasks';
const named = z.looseObject({ taskId: z.string() });

/** A real MCP server of the revision 2026-07-28 whose tool `paint` answers with a task that the test moves on. */
export async function startMcpTaskServer(): Promise<McpTaskServer> {
  const tasks = new Map<string, RemoteTask>();
  const viewed = (taskId: string) => {
    const task = tasks.get(taskId);
    if (!task) throw new Error(`There is no task ${taskId}.`);
    const { answers: _own, ...rest } = task;
    return {
      taskId,
      createdAt: '2026-01-01T00:00:00Z',
      lastUpdatedAt: '2026-01-01T00:00:00Z',
      ttlMs: null,
      pollIntervalMs: 250,
      ...rest,
    };
  };
  const handler = createMcpHandler(() => {
    const server = new Server(
      { name: 'tasks', version: '1' },
      { capabilities: { tools: {}, extensions: { [extension]: {} } } },
    );
    server.setRequestHandler('tools/list', () => ({
      tools: [{ name: 'paint', description: 'Paints.', inputSchema: { type: 'object' } }],
    }));
    server.setRequestHandler('tools/call', () => {
      const taskId = `task-${tasks.size + 1}`;
      tasks.set(taskId, { status: 'working', statusMessage: 'Mixing colours', answers: {} });
      return { resultType: 'task', ...viewed(taskId) } as unknown as CallToolResult;
    });
    server.setRequestHandler('tasks/get', { params: named }, ({ taskId }) => viewed(taskId));
    server.setRequestHandler('tasks/cancel', { params: named }, ({ taskId }) => {
      tasks.set(taskId, { answers: {}, ...tasks.get(taskId), status: 'cancelled' });
      return {};
    });
    server.setRequestHandler('tasks/update', { params: named }, ({ taskId }, { mcpReq }) => {
      Object.assign(tasks.get(taskId)?.answers ?? {}, mcpReq.inputResponses);
      return {};
    });
    return server;
  });
  const listener = createServer(async (request, response) => {
    if (state.isAway) return void request.socket.destroy();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = await handler.fetch(
      new Request(`http://localhost${request.url}`, {
        method: request.method ?? 'POST',
        headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) Readable.fromWeb(answer.body as never).pipe(response);
    else response.end();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const state: McpTaskServer = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`,
    tasks,
    isAway: false,
    close: async () => {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
  return state;
}
