import type {
  AssistantGraph,
  AssistantSchemas,
  SubgraphSchemas,
} from '@switchyard/contract/conversation/assistant';
import { loadLangchain } from '../langchain.ts';
import type { AgentGraph } from '../loading/agents.ts';
import { schemaOfChannels } from './channel-schema.ts';

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
      input_schema: told(() => zod.getInputTypeSchema(graph)) ?? schemaOfChannels(graph.inputChannels, graph),
      output_schema:
        told(() => zod.getOutputTypeSchema(graph)) ?? schemaOfChannels(graph.outputChannels, graph),
      state_schema:
        told(() => zod.getStateTypeSchema(graph)) ?? schemaOfChannels(graph.streamChannels, graph),
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
  ): Promise<Record<string, SubgraphSchemas>> {
    const found: Record<string, SubgraphSchemas> = {};
    for await (const [name, subgraph] of graph.getSubgraphsAsync(namespace, recurse)) {
      found[name] = underBothNames(await this.schemas(subgraph as unknown as AgentGraph, graphId));
    }
    return found;
  }
}

/** The types of LangGraph's SDK name the schemas in one way, and its development server in the other. */
function underBothNames(schemas: AssistantSchemas): SubgraphSchemas {
  const { input_schema: input, output_schema: output, state_schema: state, config_schema: config } = schemas;
  return { ...schemas, input, output, state, config };
}

/** Returns null for a graph that has no schemas. */
function told(read: () => unknown): Schema {
  try {
    return (read() as Schema | undefined) ?? null;
  } catch {
    return null;
  }
}
