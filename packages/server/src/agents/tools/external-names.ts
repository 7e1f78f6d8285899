import type { Log } from '../../lib/log.ts';
import type { ExternalTool } from './external-tool.ts';
import { isWorkflowTool } from './workflow-tool-name.ts';

const prefix = 'mcp_';
const maxNameLength = 64;

/**
 * Gives another name to tools of other servers that are named like the gateway's own tools or like users' workflows, so that they
 * cannot replace them. The log contains the new name.
 */
export function withNamesOfTheirOwn(
  tools: readonly ExternalTool[],
  { taken, log }: { taken: ReadonlySet<string>; log: Pick<Log, 'warn'> },
): ExternalTool[] {
  const isFree = (name: string): boolean => !(taken.has(name) || isWorkflowTool(name));
  const names = new Set(tools.map(({ name }) => name).filter(isFree));
  return tools.map((tool) => {
    if (isFree(tool.name)) return tool;
    const name = freeName(tool.name, (candidate) => isFree(candidate) && !names.has(candidate));
    names.add(name);
    const details = { server: tool.server, tool: tool.name, name };
    log.warn(
      details,
      'A tool of an MCP server has the name of a gateway tool; agents see it under another name',
    );
    return { ...tool, name };
  });
}

function freeName(wanted: string, isFree: (name: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `_${number}`;
    const name = `${prefix}${wanted}`.slice(0, maxNameLength - suffix.length) + suffix;
    if (isFree(name)) return name;
  }
}
