import { type Static, Type } from 'typebox';
import { isoTime, nullable } from '../shapes.ts';
import { openRecord } from './thread.ts';

export const assistantId = Type.String({
  minLength: 1,
  maxLength: 128,
  description:
    "The id of an assistant, the name of a graph, which stands for the graph's own assistant, or the name of a custom agent.",
});

/**
 * A graph with settings of its own. The gateway makes one assistant for each graph: its `metadata.created_by` is
 * `system`.
 */
export const assistant = Type.Object({
  assistant_id: Type.String(),
  graph_id: Type.String(),
  name: Type.String(),
  description: nullable(Type.String()),
  config: openRecord({ description: '`configurable`, `tags` and `recursion_limit` of its runs.' }),
  context: openRecord({ description: 'What its graph is given as runtime context.' }),
  metadata: openRecord(),
  version: Type.Integer({ description: 'Counts from 1; each change makes another.' }),
  created_at: isoTime,
  updated_at: isoTime,
});
export type Assistant = Static<typeof assistant>;

export const assistantFields = [
  'assistant_id',
  'graph_id',
  'name',
  'description',
  'config',
  'context',
  'metadata',
  'version',
  'created_at',
  'updated_at',
] as const satisfies (keyof Assistant)[];
export type AssistantField = (typeof assistantFields)[number];

/** Lacks the fields that `select` leaves out. */
export const foundAssistant = Type.Partial(assistant);
export type FoundAssistant = Static<typeof foundAssistant>;

const schema = nullable(openRecord({ description: 'A JSON Schema; null where the graph has none.' }));

export const assistantSchemas = Type.Object({
  graph_id: Type.String(),
  input_schema: schema,
  output_schema: schema,
  state_schema: schema,
  config_schema: schema,
  context_schema: schema,
});
export type AssistantSchemas = Static<typeof assistantSchemas>;

/** LangGraph's SDK reads the names that end in `_schema`, and clients of its development server read the others. */
export const subgraphSchemas = Type.Object({
  ...assistantSchemas.properties,
  input: schema,
  output: schema,
  state: schema,
  config: schema,
});
export type SubgraphSchemas = Static<typeof subgraphSchemas>;

export const assistantGraph = Type.Object({
  graph_id: Type.String(),
  nodes: Type.Array(
    Type.Object({
      id: Type.String(),
      type: Type.Optional(Type.String()),
      data: Type.Optional(Type.Unknown()),
    }),
  ),
  edges: Type.Array(
    Type.Object({
      source: Type.String(),
      target: Type.String(),
      conditional: Type.Optional(Type.Boolean()),
      data: Type.Optional(Type.Unknown()),
    }),
  ),
});
export type AssistantGraph = Static<typeof assistantGraph>;
