import { getMcpConfig, type McpServer } from '@switchyard/contract/conversation/mcp';
import { gateway } from '../../lib/gateway.ts';

/** The servers as they are now: a change writes all of them, so it begins with the newest. */
export async function readServers(): Promise<Record<string, McpServer>> {
  return (await gateway.call(getMcpConfig)).mcp_servers;
}
