import { nodeTitle } from './node-rows.ts';

export interface InputGroup {
  node: string;
  title: string;
  inputs: { name: string; value: string; changed: boolean }[];
}

/** The inputs of a graph by node: values alone, since links between nodes are not settings. Params replace what stands in the graph. */
export function inputGroups(
  workflow: Readonly<Record<string, unknown>>,
  params: Readonly<Record<string, unknown>>,
): InputGroup[] {
  const groups = Object.entries(workflow).map(([node, value]) => {
    const inputs = (value as { inputs?: Record<string, unknown> } | null)?.inputs ?? {};
    const rows = Object.entries(inputs).flatMap(([name, given]) => {
      const changed = changedBy(params, node, name);
      const shown = changed === undefined ? given : changed;
      return isLink(shown) ? [] : [{ name, value: textOf(shown), changed: changed !== undefined }];
    });
    return { node, title: nodeTitle(node, value), inputs: rows };
  });
  return groups.filter(({ inputs }) => inputs.length > 0);
}

/** A param names its input alone, or with the node: `3.seed`. */
function changedBy(params: Readonly<Record<string, unknown>>, node: string, name: string): unknown {
  return params[`${node}.${name}`] ?? params[`${node}.inputs.${name}`] ?? params[name];
}

function isLink(value: unknown): boolean {
  return (
    Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && typeof value[1] === 'number'
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
