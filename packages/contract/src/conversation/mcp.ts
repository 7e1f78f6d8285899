import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { sentenceList } from '../sentences/sentence.ts';
import { nullable, oneOf } from '../shapes.ts';

const tags = ['MCP'];
const url = '/api/mcp';

export const mcpServerName = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,48}$',
  description: 'Begins the names of its tools: `<server>_<tool>`.',
});

const secrets = (description: string) =>
  Type.Record(Type.String({ minLength: 1, maxLength: 256 }), Type.String({ maxLength: 8_192 }), {
    maxProperties: 50,
    description: `${description} Values are answered as \`***\`, and kept when they are sent back so.`,
  });

/** A server whose tools agents can use. */
export const mcpServer = Type.Object(
  {
    enabled: Type.Boolean({ default: true }),
    type: oneOf(['stdio', 'http'], { description: 'A process of its own, or streamable HTTP.' }),
    command: nullable(
      Type.String({ maxLength: 64, default: null, description: 'One of `mcp.allowed_commands`.' }),
    ),
    args: Type.Array(Type.String({ maxLength: 4_096 }), { maxItems: 100, default: [] }),
    env: secrets('Variables of the process.'),
    url: nullable(Type.String({ maxLength: 2_048, default: null })),
    headers: secrets('Headers of each request.'),
    description: Type.String({ maxLength: 2_000, default: '' }),
    session_init_timeout: Type.Integer({
      minimum: 1,
      maximum: 300,
      default: 30,
      description: 'Seconds for connecting and listing the tools.',
    }),
    tool_call_timeout: Type.Integer({
      minimum: 1,
      maximum: 3_600,
      default: 60,
      description: 'Seconds for one call of a tool.',
    }),
  },
  { additionalProperties: false },
);
export type McpServer = Static<typeof mcpServer>;

/** As clients send it: what is left out has its default. */
export const mcpServerInput = Type.Object(
  { ...Type.Partial(mcpServer).properties, type: mcpServer.properties.type },
  { additionalProperties: false },
);
export type McpServerInput = Static<typeof mcpServerInput>;

const mcpConfig = Type.Object({ mcp_servers: Type.Record(mcpServerName, mcpServer) });

const mcpTool = Type.Object({
  name: Type.String({ description: 'As the server names it.' }),
  description: Type.String(),
  input_schema: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
});
export const mcpTest = Type.Object({
  success: Type.Boolean(),
  tools: Type.Array(mcpTool),
  error: nullable(Type.String()),
  sentences: sentenceList,
});
export type McpTest = Static<typeof mcpTest>;

export const getMcpConfig = {
  method: 'GET',
  url: `${url}/config`,
  config: { access: 'admin' },
  schema: { summary: 'The MCP servers, secrets masked', tags, response: { 200: mcpConfig } },
} as const satisfies Endpoint;

export const putMcpConfig = {
  method: 'PUT',
  url: `${url}/config`,
  config: { access: 'admin' },
  schema: {
    summary: 'Replace the MCP servers',
    tags,
    body: Type.Object({
      mcp_servers: Type.Record(mcpServerName, mcpServerInput, {
        maxProperties: 50,
        additionalProperties: false,
      }),
    }),
    response: { 200: mcpConfig },
  },
} as const satisfies Endpoint;

export const switchMcpServer = {
  method: 'PATCH',
  url: `${url}/config`,
  config: { access: 'admin' },
  schema: {
    summary: 'Switch an MCP server on or off',
    tags,
    body: Type.Object({ server_name: mcpServerName, enabled: Type.Boolean() }),
    response: { 200: mcpConfig },
  },
} as const satisfies Endpoint;

export const resetMcpCache = {
  method: 'POST',
  url: `${url}/cache/reset`,
  config: { access: 'admin' },
  schema: {
    summary: 'Connect to the MCP servers again and list their tools',
    tags,
    response: { 200: Type.Object({ success: Type.Boolean(), message: Type.String() }) },
  },
} as const satisfies Endpoint;

export const testMcpServer = {
  method: 'POST',
  url: `${url}/servers/:server_name/test`,
  config: { access: 'admin' },
  schema: {
    summary: 'Connect to a configured MCP server now and list its tools',
    description: 'Also while it is switched off. What goes wrong with it stands in `error`.',
    tags,
    params: Type.Object({ server_name: mcpServerName }),
    response: { 200: mcpTest },
  },
} as const satisfies Endpoint;
