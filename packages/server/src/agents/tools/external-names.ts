import type { ExternalTool } from './external-tool.ts';
import { isWorkflowTool } from './workflow-tool-name.ts';

const prefix = 'mcp_';
const longestName = 64;

/**
 * Tools of other servers never stand in for the gateway's own, nor for users' workflows: one that has such a name gets
 * another, and the log says which.
 */
export function withNamesOfTheirOwn(
  tools: readonly ExternalTool[],
  { taken, log }: { taken: ReadonlySet<string>; log: { warn(details: object, message: string): void } },
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
      'A tool of an MCP server has the name of one of the gateway; agents know it by another',
    );
    return { ...tool, name };
  });
}

function freeName(wanted: string, isFree: (name: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `_${number}`;
    const name = `${prefix}${wanted}`.slice(0, longestName - suffix.length) + suffix;
    if (isFree(name)) return name;
  }
}
