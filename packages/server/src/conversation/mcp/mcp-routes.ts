import {
  getMcpConfig,
  putMcpConfig,
  resetMcpCache,
  switchMcpServer,
  testMcpServer,
} from '@switchyard/contract/conversation/mcp';
import type { Routes } from '../../http/app.ts';
import type { McpServers } from './mcp-servers.ts';

export function mcpRoutes({ servers }: { servers: McpServers }): Routes {
  return (app) => {
    app.route({ ...getMcpConfig, handler: async () => ({ mcp_servers: await servers.settings() }) });

    app.route({
      ...putMcpConfig,
      handler: async (request) => ({ mcp_servers: await servers.replace(request.body.mcp_servers) }),
    });

    app.route({
      ...switchMcpServer,
      handler: async (request) => {
        const { server_name: name, enabled } = request.body;
        return { mcp_servers: await servers.switch(name, enabled) };
      },
    });

    app.route({
      ...resetMcpCache,
      handler: async () => {
        await servers.reset();
        return { success: true, message: 'The next run connects to the MCP servers again.' };
      },
    });

    app.route({ ...testMcpServer, handler: async (request) => servers.test(request.params.server_name) });
  };
}
