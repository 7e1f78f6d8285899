import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sourceProject } from '../../packages/server/testing/source-project.ts';

const graph = `
import { Annotation, StateGraph } from '@langchain/langgraph';
export const graph = new StateGraph(Annotation.Root({ topic: Annotation<'tea' | 'milk'>() }))
  .addNode('answer', () => ({}))
  .addEdge('__start__', 'answer');
`;
const project = sourceProject({
  files: { 'graph.ts': graph, 'langgraph.json': '{ "graphs": { "topics": "./graph.ts:graph" } }' },
  compiler: 'real',
});
let gateway: SpawnedGateway;

beforeAll(async () => {
  gateway = await SpawnedGateway.start({ home: project.folder });
});
afterAll(async () => {
  await gateway.stop();
  project.remove();
});

it('the built gateway starts the program that reads the source of a graph', async () => {
  const ada = { email: 'ada@example.com', password: 'correct horse battery' };
  const session = await HttpSession.register(gateway.url, ada);
  const { state_schema } = await session.get<{ state_schema: object }>('/api/assistants/topics/schemas');
  expect(state_schema).toMatchObject({ properties: { topic: { enum: ['tea', 'milk'] } } });
});
