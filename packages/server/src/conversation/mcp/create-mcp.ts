import type { Routes } from '../../http/app.ts';
import { steadyClock } from '../../lib/clock.ts';
import type { ChangeLock } from '../../platform/ownership/change-lock.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import { ExtensionsFile } from './extensions-file.ts';
import type { McpNetwork } from './mcp-network.ts';
import { mcpRoutes } from './mcp-routes.ts';
import { McpServers } from './mcp-servers.ts';
import { McpTaskStore } from './mcp-task-store.ts';

export function createMcp({
  database,
  home,
  changes,
  audit,
  version,
  log,
  ...configured
}: Pick<ConversationParts, 'database' | 'home' | 'audit' | 'version' | 'log'> & {
  changes: ChangeLock;
  network: McpNetwork;
  allowedCommands: readonly string[];
}): { extensions: ExtensionsFile; servers: McpServers; routes: Routes } {
  const extensions = new ExtensionsFile(home, changes);
  const servers = new McpServers({
    ...configured,
    file: extensions,
    tasks: new McpTaskStore(database),
    version,
    clock: steadyClock,
    log,
  });
  return { extensions, servers, routes: mcpRoutes({ servers, audit }) };
}
