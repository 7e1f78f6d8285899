import type { AgentGraph, FactoryConfig, GraphFactory, GraphRuntime } from './agents.ts';
import type { AgentModules } from './load-agent-modules.ts';
import { type ExportPlace, faultsAt, loadExport, wrongExport } from './load-export.ts';

/**
 * Loads a graph from a user's file. An error in the file, or later in its factory, becomes an AgentFault that names the place.
 */
export async function loadAgent(place: ExportPlace, modules: AgentModules): Promise<GraphFactory> {
  const exported = await loadExport(place, modules);
  if (typeof exported !== 'function') {
    const graph = await faultsAt(place, () => graphOf(exported));
    return async () => graph;
  }
  const make = exported as (config: FactoryConfig, runtime: GraphRuntime) => unknown;
  return (config, { runtime }) => faultsAt(place, async () => graphOf(await make(config, runtime)));

  function graphOf(value: unknown): AgentGraph {
    const graph = compiled(value);
    if (graph) return graph;
    const rule = 'export a graph, compiled or not, a promise of one, or a function that makes one';
    throw wrongExport(place, value, rule);
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
