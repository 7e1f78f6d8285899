import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../src/platform/telemetry/logger.ts';
import { type SourceProject, sourceProject } from '../testing/source-project.ts';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

const imports = `import { Annotation, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';\n`;
const draft = 'http://json-schema.org/draft-07/schema#';

const agent = `${imports}
const Result = Annotation.Root({
  messages: MessagesAnnotation.spec.messages,
  shared: Annotation<string | null>(),
  sleep: Annotation<number | { steps: number; ms?: number } | null>(),
});
const Request = Annotation.Root({ ...Result.spec, route: Annotation<'weather' | 'other'>, kept: Annotation<Record<string, any>> });
const workflow = new StateGraph({ input: Request, output: Result }, Annotation.Root({ model_name: Annotation<string> }))
  .addNode('answer', () => ({ shared: 'x' }))
  .addEdge(START, 'answer');
export const graph = (async () => workflow.compile())();
export const made = ({ configurable }: { configurable?: { name?: string } }) =>
  new StateGraph(Annotation.Root({ topic: Annotation<string>() }))
    .addNode(configurable?.name ?? 'answer', () => ({}))
    .addEdge(START, configurable?.name ?? 'answer' as any);
export const messages = new StateGraph(MessagesAnnotation).addNode('answer', () => ({})).addEdge(START, 'answer').compile();
`;

const nested = `${imports}
const words = () => Annotation<string[]>({ reducer: (a, b) => a.concat(b) });
const child = new StateGraph(Annotation.Root({ messages: words(), child: Annotation<'child_one' | 'child_two'> }))
  .addNode('c_one', () => ({ messages: ['one'] }))
  .addEdge(START, 'c_one');
const parent = new StateGraph(Annotation.Root({ messages: words(), parent: Annotation<'parent_one' | 'parent_two'> }))
  .addNode('p_one', () => ({ messages: ['one'] }))
  .addNode('p_two', child.compile())
  .addEdge(START, 'p_one')
  .addEdge('p_one', 'p_two')
  .addEdge('p_two', END);
const grandParent = new StateGraph(Annotation.Root({ messages: words() }))
  .addNode('gp_one', () => ({ messages: ['one'] }))
  .addNode('gp_two', parent.compile())
  .addEdge(START, 'gp_one')
  .addEdge('gp_one', 'gp_two');
export const graph = grandParent.compile();
`;

interface Started {
  project: SourceProject;
  server: ConversationGateway;
  ada: ConversationCaller;
  /** The warnings about sources. */
  reasons(): { file: string; reason: string }[];
  close(): Promise<void>;
}

async function start(
  parts: Parameters<typeof sourceProject>[0],
  agents: Record<string, string>,
): Promise<Started> {
  const project = sourceProject(parts);
  const lines: string[] = [];
  const destination = new PassThrough().on('data', (chunk) =>
    lines.push(...String(chunk).trim().split('\n')),
  );
  const server = await startConversation(
    { agents: Object.entries(agents).map(([name, target]) => `${name}=${project.file(target)}`) },
    { logger: createLogger({ level: 'warn', format: 'json', destination }) },
  );
  return {
    project,
    server,
    ada: server.ada.at('/api/langgraph'),
    reasons: () => lines.map((line) => JSON.parse(line)).filter(({ reason }) => reason !== undefined),
    close: async () => {
      await server.close();
      project.remove();
    },
  };
}

describe('a graph whose project has a compiler', () => {
  let started: Started;
  let ada: ConversationCaller;
  beforeAll(async () => {
    started = await start(
      { files: { 'agent.mts': agent, 'nested.ts': nested }, compiler: 'real' },
      {
        agent: 'agent.mts:graph',
        made: 'agent.mts:made',
        messages: 'agent.mts:messages',
        nested: 'nested.ts:graph',
      },
    );
    ada = started.ada;
  });
  afterAll(() => started.close());

  it('has the types of its channels and of its context', async () => {
    const { input_schema, config_schema, context_schema } = await ada.ok('GET', '/assistants/agent/schemas');
    expect(config_schema).toEqual({
      $schema: draft,
      type: 'object',
      properties: { model_name: { type: 'string' } },
    });
    expect(context_schema).toEqual(config_schema);
    expect(input_schema).toMatchObject({
      $schema: draft,
      type: 'object',
      properties: {
        route: { type: 'string', enum: ['weather', 'other'] },
        kept: { type: 'object' },
        shared: { type: ['string', 'null'] },
        sleep: {
          anyOf: [
            { type: 'number' },
            {
              type: 'object',
              properties: { steps: { type: 'number' }, ms: { type: 'number' } },
              required: ['steps'],
            },
            { type: 'null' },
          ],
        },
      },
    });
    expect(input_schema.required).toBeUndefined();
    expect(started.reasons()).toEqual([]);
  });
});
