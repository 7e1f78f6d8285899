import type { AssistantGraph, AssistantSchemas } from '@switchyard/contract/conversation/assistant';
import { loadLangchain } from '../langchain.ts';
import type { AgentGraph } from '../loading/agents.ts';

/** The parts of a compiled state graph that describe it. */
interface Drawable {
  getGraphAsync(options: { xray: boolean | number }): ReturnType<AgentGraph['getGraphAsync']>;
}
type Schema = Record<string, unknown> | null;

/** Describes a graph without running it: its schemas, its drawing, the graphs inside it. */
export class GraphShapes {
  async schemas(graph: AgentGraph, graphId: string): Promise<AssistantSchemas> {
    const zod = await loadLangchain(() => import('@langchain/langgraph/zod/schema'));
    return {
      graph_id: graphId,
      input_schema: told(() => zod.getInputTypeSchema(graph)) ?? channelsOf(graph.inputChannels, graph),
      output_schema: told(() => zod.getOutputTypeSchema(graph)) ?? channelsOf(graph.outputChannels, graph),
      state_schema: told(() => zod.getStateTypeSchema(graph)) ?? channelsOf(graph.streamChannels, graph),
      config_schema: told(() => zod.getConfigTypeSchema(graph)),
      context_schema: told(() => zod.getConfigTypeSchema(graph)),
    };
  }

  async drawing(graph: AgentGraph, xray: boolean | number): Promise<Omit<AssistantGraph, 'graph_id'>> {
    const drawable = await (graph as unknown as Drawable).getGraphAsync({ xray });
    return drawable.toJSON() as unknown as Omit<AssistantGraph, 'graph_id'>;
  }

  /** Returns the inner graphs by namespace, or only those of one namespace when it is named. */
  async subgraphs(
    graph: AgentGraph,
    { graphId, namespace, recurse }: { graphId: string; namespace?: string; recurse: boolean },
  ): Promise<Record<string, AssistantSchemas>> {
    const found: Record<string, AssistantSchemas> = {};
    for await (const [name, subgraph] of graph.getSubgraphsAsync(namespace, recurse)) {
      found[name] = await this.schemas(subgraph as unknown as AgentGraph, graphId);
    }
    return found;
  }
}

/** Returns null for a graph that has no schemas. */
function told(read: () => unknown): Schema {
  try {
    return (read() as Schema | undefined) ?? null;
  } catch {
    return null;
  }
}

/** A graph that is described by channels alone has their names, and the types of those that begin with a value. */
function channelsOf(channels: string | string[] | undefined, graph: AgentGraph): Schema {
  const own = graph.streamChannelsList.map(String);
  const names = (Array.isArray(channels) ? channels : own).filter((name) => !name.startsWith('__'));
  const known = names.length > 0 ? names : own;
  const schemaOf = (name: string) => schemaOfChannel((graph.channels as Record<string, unknown>)[name]);
  return { type: 'object', properties: Object.fromEntries(known.map((name) => [name, schemaOf(name)])) };
}

/** What a channel holds is known only by the value that it begins with. */
function schemaOfChannel(channel: unknown): { type?: string } {
  if (typeof channel !== 'object' || channel === null || !('initialValueFactory' in channel)) return {};
  const { initialValueFactory: make } = channel;
  if (typeof make !== 'function') return {};
  const value = told(() => make());
  return value === null ? {} : { type: typeNameOf(value) };
}

function typeNameOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
}
