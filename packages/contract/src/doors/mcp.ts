import { Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';

/** The Model Context Protocol, as its clients speak it: one JSON-RPC message a request. */

const message = Type.Unknown({ description: 'A message of JSON-RPC 2.0.' });

/** Room for an uploaded picture in base64. Larger files go to `/api/files/upload`. */
const maxBodyBytes = 8_000_000;

const config = { access: 'mcp', bodyLimit: maxBodyBytes, headerOnly: true } as const;
const schema = {
  tags: ['MCP'],
  body: message,
  produces: ['application/json', 'text/event-stream'],
  response: { 200: message },
};

export const mcpCall = {
  method: 'POST',
  url: '/mcp',
  config: { ...config, takesClients: true },
  schema: {
    ...schema,
    summary: 'Workflows and agents as tools for MCP clients',
    description: 'Revision 2026-07-28 and the older ones. A call also needs the scope of what it does.',
  },
} as const satisfies Endpoint;

export const mcpKeyCall = {
  method: 'POST',
  url: '/mcp/key',
  config,
  schema: {
    ...schema,
    summary: 'The same for clients that send a token and must not be led to a sign-in',
    description: 'Cursor ignores its headers where a server offers a sign-in.',
  },
} as const satisfies Endpoint;
