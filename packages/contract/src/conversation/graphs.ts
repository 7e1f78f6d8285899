import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { nullable, oneOf } from '../shapes.ts';

export const graphStates = ['built_in', 'loaded', 'refused'] as const;

export const graph = Type.Object({
  graph_id: Type.String({ description: 'The name under which runs call it.' }),
  assistant_id: Type.String({ description: "The graph's own assistant." }),
  description: nullable(Type.String()),
  file: nullable(Type.String({ description: 'Where it comes from; null for a built-in agent.' })),
  export: nullable(Type.String({ description: 'The name under which the file exports it.' })),
  state: oneOf(graphStates, { description: '`refused`: its file cannot be loaded, and no run can use it.' }),
  fault: nullable(Type.String({ description: 'Why it is refused.' })),
});
export type Graph = Static<typeof graph>;

export const listGraphs = {
  method: 'GET',
  url: '/api/graphs',
  config: { access: 'conversation:read' },
  schema: {
    summary: 'The graphs of this gateway, with their files and what is wrong with them',
    description: 'Loads those that have not been used.',
    tags: ['Agents'],
    response: {
      200: Type.Object({
        graphs: Type.Array(graph),
        faults: Type.Array(Type.Object({ name: Type.String(), fault: Type.String() }), {
          description: 'What else of the operator’s code is refused: `langgraph.json`, `auth`, `http.app`.',
        }),
      }),
    },
  },
} as const satisfies Endpoint;
