import {
  getMcpConfig,
  putMcpConfig,
  resetMcpCache,
  switchMcpServer,
  testMcpServer,
} from '@switchyard/contract/conversation/mcp';
import { actorOf } from '../../http/access/actor.ts';
import type { Routes } from '../../http/app.ts';
import type { Audit } from '../../platform/audit/audit.ts';
import type { McpServers } from './mcp-servers.ts';

/** The servers stand in a file, so a record follows its change. */
export function mcpRoutes({ servers, audit }: { servers: McpServers; audit: Pick<Audit, 'add'> }): Routes {
  return (app) => {
    app.route({ ...getMcpConfig, handler: async () => ({ mcp_servers: await servers.settings() }) });

    app.route({
      ...putMcpConfig,
      handler: async (request) => {
        const settings = await servers.replace(request.body.mcp_servers);
        const details = { servers: Object.keys(settings) };
        await audit.add(actorOf(request), { action: 'mcp.replaced', target: null, details });
        return { mcp_servers: settings };
      },
    });

    app.route({
      ...switchMcpServer,
      handler: async (request) => {
        const { server_name: name, enabled } = request.body;
        const settings = await servers.switch(name, enabled);
        const action = enabled ? 'mcp.enabled' : 'mcp.disabled';
        await audit.add(actorOf(request), { action, target: ['mcp_server', name] });
        return { mcp_servers: settings };
      },
    });

    app.route({
      ...resetMcpCache,
      handler: async (request) => {
        await servers.reset();
        await audit.add(actorOf(request), { action: 'mcp.reset', target: null });
        return { success: true, message: 'The next run connects to the MCP servers again.' };
      },
    });

    app.route({ ...testMcpServer, handler: async (request) => servers.test(request.params.server_name) });
  };
}
