import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

export interface McpHttpServer {
  url: string;
  /** Redirects to the server. */
  redirectUrl: string;
  /** Never responds. */
  silentUrl: string;
  /** Its responses never end. */
  endlessUrl: string;
  /** Its list of tools always has one more page, which is empty. */
  pagesUrl: string;
  headers: IncomingHttpHeaders[];
  /** What the calls of its tool say about themselves. */
  metas: object[];
  close(): Promise<void>;
}

/** A real MCP server over streamable HTTP with one tool, without sessions. */
export async function startMcpHttpServer(): Promise<McpHttpServer> {
  const headers: IncomingHttpHeaders[] = [];
  const metas: object[] = [];
  const listener = createServer(async (request, response) => {
    if (request.url === '/silent') return;
    if (request.url === '/redirect') {
      response.writeHead(307, { location: '/mcp' }).end();
      return;
    }
    if (request.url === '/endless') return endless(response);
    headers.push(request.headers);
    const server = request.url === '/pages' ? pagesServer() : newServer(metas);
    const transport = new StreamableHTTPServerTransport({});
    response.on('close', () => void server.close());
    await server.connect(transport as Transport);
    await transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    url: `${origin}/mcp`,
    redirectUrl: `${origin}/redirect`,
    silentUrl: `${origin}/silent`,
    endlessUrl: `${origin}/endless`,
    pagesUrl: `${origin}/pages`,
    headers,
    metas,
    close: async () => {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const piece = `${' '.repeat(65_535)}\n`;
  const go = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', go);
  go();
}

function pagesServer(): Server {
  const server = new Server({ name: 'pages', version: '1' }, { capabilities: { tools: {} } });
  let page = 0;
  server.setRequestHandler(ListToolsRequestSchema, () => {
    page += 1;
    return { tools: [], nextCursor: String(page) };
  });
  return server;
}

function newServer(metas: object[]): Server {
  const server = new Server({ name: 'http-test', version: '1' }, { capabilities: { tools: {} } });
  const inputSchema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } };
  const tools = [{ name: 'add', description: 'Adds.', inputSchema }];
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools as never }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    metas.push(params._meta ?? {});
    const { a, b } = params.arguments as { a: number; b: number };
    return { content: [{ type: 'text', text: String(a + b) }] };
  });
  return server;
}
