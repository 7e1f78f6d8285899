import { access } from 'node:fs/promises';
import { extname } from 'node:path';
import { AgentFault } from '../agent-fault.ts';
import { loadLangchain } from '../langchain.ts';
import type { AgentGraph, GraphConfig, GraphFactory } from './agents.ts';
import { faultOf, lineThatExports, shown } from './load-agent-fault.ts';
import type { AgentModules } from './load-agent-modules.ts';

export interface AgentFile {
  /** Absolute path. */
  file: string;
  exportName: string;
  /** Messages show paths relative to it. */
  cwd: string;
}

/**
 * Loads a graph from a user's file. An error in the file, or later in its factory, becomes an AgentFault that names the place.
 */
export async function loadAgent(
  { file, exportName, cwd }: AgentFile,
  modules: AgentModules,
): Promise<GraphFactory> {
  const name = shown(file, cwd);
  await requireLoadable(file, name);
  const exported = await guarded(async () => {
    const all = await loadLangchain(() => modules.import(file));
    if (!Object.hasOwn(all, exportName)) throw new AgentFault(missing(exportName, all), { file: name });
    return await all[exportName];
  });
  if (typeof exported !== 'function') {
    const graph = await guarded(() => graphOf(exported));
    return async () => graph;
  }
  return (config) =>
    guarded(async () => graphOf(await (exported as (config: GraphConfig) => unknown)(config)));

  async function guarded<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw faultOf(error, { file, cwd });
    }
  }

  function graphOf(value: unknown): AgentGraph {
    const graph = compiled(value);
    if (graph) return graph;
    const rule = 'export a graph, compiled or not, a promise of one, or a function that makes one';
    throw new AgentFault(`\`${exportName}\` is ${kindOf(value)}; ${rule}`, {
      file: name,
      line: lineThatExports(file, exportName),
    });
  }
}

const loadable = new Set(['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx']);

async function requireLoadable(file: string, name: string): Promise<void> {
  if (!loadable.has(extname(file))) {
    throw new AgentFault('only TypeScript and JavaScript can be loaded', { file: name });
  }
  try {
    await access(file);
  } catch (cause) {
    throw new AgentFault('there is no such file', { file: name, cause });
  }
}

/** Recognises graphs by their marks, because the user's copy of LangGraph may differ from ours. */
function compiled(value: unknown): AgentGraph | null {
  if (typeof value !== 'object' || value === null) return null;
  if ('lg_is_pregel' in value && value.lg_is_pregel === true) return value as AgentGraph;
  if ('compile' in value && typeof value.compile === 'function' && 'nodes' in value) {
    return compiled(value.compile());
  }
  // langchain's createAgent returns an object with the graph inside.
  if ('graph' in value) return compiled(value.graph);
  return null;
}

function missing(exportName: string, all: Record<string, unknown>): string {
  const names = Object.keys(all).filter((name) => name !== 'module.exports');
  const others = names.length === 0 ? 'it exports nothing' : `it exports ${names.slice(0, 10).join(', ')}`;
  return `has no export named \`${exportName}\`; ${others}`;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== 'object') return `a ${typeof value}`;
  const name = value.constructor?.name;
  return name && name !== 'Object' ? `an object of class ${name}` : 'a plain object';
}
