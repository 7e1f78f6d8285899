import { getMcpConfig, type McpServer } from '@switchyard/contract/conversation/mcp';
import { queryOptions } from '@tanstack/react-query';
import { gateway } from '../../lib/gateway.ts';

export const mcpKey = ['mcp'];

export interface NamedServer {
  name: string;
  server: McpServer;
}

export const mcpQuery = queryOptions({
  queryKey: mcpKey,
  queryFn: ({ signal }) => gateway.call(getMcpConfig, { signal }),
  select: ({ mcp_servers }): NamedServer[] =>
    Object.entries(mcp_servers)
      .map(([name, server]) => ({ name, server }))
      .sort((one, other) => one.name.localeCompare(other.name)),
});
