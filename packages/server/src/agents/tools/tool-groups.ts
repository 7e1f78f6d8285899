import type { ExternalTool } from './external-tool.ts';
import { isWorkflowTool } from './workflow-tool-name.ts';

/** Tools that each agent needs for any turn, whatever its groups are. */
const ofEveryAgent: ReadonlySet<string> = new Set([
  'ask_clarification',
  'present_files',
  'setup_agent',
  'write_todos',
]);

const namesOfGroup: Readonly<Record<string, readonly string[]>> = {
  'file:read': ['ls', 'glob', 'grep', 'read_file', 'view_image'],
  'file:write': ['write_file', 'str_replace'],
  web: ['web_search', 'web_fetch', 'image_search'],
  bash: ['bash'],
  workflows: ['list_instances', 'run_workflow', 'list_workflows'],
  subagents: ['task'],
};

/** The server of a tool, by the tool's name. A tool that is in no group and on no server belongs to none. */
export type ServerOfTool = ReadonlyMap<string, string>;

export function serversOf(tools: readonly Pick<ExternalTool, 'name' | 'server'>[]): ServerOfTool {
  return new Map(tools.map(({ name, server }) => [name, server]));
}

/** Returns whether an agent with these groups has the tool; null stands for all groups. */
export function hasTool(groups: readonly string[] | null, name: string, servers: ServerOfTool): boolean {
  if (groups === null || ofEveryAgent.has(name)) return true;
  const server = servers.get(name);
  if (server !== undefined) return groups.includes('mcp') || groups.includes(`mcp:${server}`);
  if (isWorkflowTool(name)) return groups.includes('workflows');
  return groups.some((group) => namesOfGroup[group]?.includes(name));
}
