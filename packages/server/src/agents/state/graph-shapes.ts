import type {
  AssistantGraph,
  AssistantSchemas,
  SubgraphSchemas,
} from '@switchyard/contract/conversation/assistant';
import { loadLangchain } from '../langchain.ts';
import type { AgentGraph } from '../loading/agents.ts';
import type { GraphSchemas, SchemasByNamespace } from '../source-schemas/program/json-schema.ts';
import type { Lacking } from '../source-schemas/source-schemas.ts';
import { schemaOfChannels } from './channel-schema.ts';

type JsonSchema = Record<string, unknown>;

/** The parts of a compiled state graph that describe it. */
interface Drawable {
  getGraphAsync(options: { xray: boolean | number }): ReturnType<AgentGraph['getGraphAsync']>;
}
interface GraphShapesOptions {
  /** Returns what the source of a graph says of it and of the graphs inside it; null when it says nothing. */
  fromSource: (graphId: string, lacking: Lacking) => Promise<SchemasByNamespace | null>;
}

interface Described {
  graphId: string;
  /** The graph itself has the empty one. */
  namespace: string;
}

/** Describes a graph without running it: its schemas, its drawing, the graphs inside it. */
export class GraphShapes {
  readonly #fromSource: GraphShapesOptions['fromSource'];

  constructor({ fromSource }: GraphShapesOptions) {
    this.#fromSource = fromSource;
  }

  async schemas(graph: AgentGraph, graphId: string): Promise<AssistantSchemas> {
    return this.#schemas(graph, { graphId, namespace: '' });
  }

  async drawing(graph: AgentGraph, xray: boolean | number): Promise<Omit<AssistantGraph, 'graph_id'>> {
    const drawable = await (graph as unknown as Drawable).getGraphAsync({ xray });
    return drawable.toJSON() as unknown as Omit<AssistantGraph, 'graph_id'>;
  }

  /** Returns the inner graphs by namespace, or only those of one namespace when it is named. */
  async subgraphs(
    graph: AgentGraph,
    { graphId, namespace: wanted, recurse }: { graphId: string; namespace?: string; recurse: boolean },
  ): Promise<Record<string, SubgraphSchemas>> {
    const found: Record<string, SubgraphSchemas> = {};
    for await (const [namespace, subgraph] of graph.getSubgraphsAsync(wanted, recurse)) {
      const inner = subgraph as unknown as AgentGraph;
      found[namespace] = underBothNames(await this.#schemas(inner, { graphId, namespace }));
    }
    return found;
  }

  /**
   * Asks the loaded graph first. A state that is channels alone has no types, and of a context that is an annotation LangGraph keeps
   * nothing, so the source is asked for these.
   */
  async #schemas(graph: AgentGraph, { graphId, namespace }: Described): Promise<AssistantSchemas> {
    const zod = await loadLangchain(() => import('@langchain/langgraph/zod/schema'));
    const input = told(() => zod.getInputTypeSchema(graph));
    const output = told(() => zod.getOutputTypeSchema(graph));
    const state = told(() => zod.getStateTypeSchema(graph));
    const ownConfig = told(() => zod.getConfigTypeSchema(graph));
    const lacking = !(input && output && state) ? 'state' : ownConfig === null ? 'context' : null;
    const graphs = lacking && (await this.#fromSource(graphId, lacking));
    const source: Partial<GraphSchemas> = graphs?.[namespace] ?? {};
    const config = ownConfig ?? source.config ?? null;
    return {
      graph_id: graphId,
      input_schema: input ?? withChannels(source.input, schemaOfChannels(graph.inputChannels, graph)),
      output_schema: output ?? withChannels(source.output, schemaOfChannels(graph.outputChannels, graph)),
      state_schema: state ?? withChannels(source.state, schemaOfChannels(graph.streamChannels, graph)),
      config_schema: config,
      context_schema: config,
    };
  }
}

/** The types of LangGraph's SDK name the schemas in one way, and its development server in the other. */
function underBothNames(schemas: AssistantSchemas): SubgraphSchemas {
  const { input_schema: input, output_schema: output, state_schema: state, config_schema: config } = schemas;
  return { ...schemas, input, output, state, config };
}

/** Returns null for a graph that has no schemas. */
function told(read: () => unknown): JsonSchema | null {
  try {
    return (read() as JsonSchema | undefined) ?? null;
  } catch {
    return null;
  }
}

/**
 * Adds to the schema of a source what the loaded channels know besides: the mark of messages, and the type of a first value where
 * the source has none. Without a schema of the source, that of the channels stands.
 */
function withChannels(source: JsonSchema | null | undefined, channels: JsonSchema): JsonSchema {
  if (!source) return channels;
  const known = propertiesOf(channels);
  const properties = Object.entries(propertiesOf(source)).map(([name, schema]) => {
    const { langgraph_type: mark, ...rest } = known[name] ?? {};
    const own = Object.keys(schema).length > 0 ? schema : rest;
    return [name, mark === undefined ? own : { ...own, langgraph_type: mark }];
  });
  return { ...source, properties: Object.fromEntries(properties) };
}

function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema.properties ?? {}) as Record<string, JsonSchema>;
}
