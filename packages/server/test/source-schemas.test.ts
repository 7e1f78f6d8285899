import { existsSync, writeFileSync } from 'node:fs';
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

const zod = `import { START, StateGraph } from '@langchain/langgraph';
import { z } from 'zod';
export const graph = new StateGraph(z.object({ topic: z.string() }))
  .addNode('answer', () => ({}))
  .addEdge(START, 'answer')
  .compile();
`;

const zodContext = `${imports}
import { z } from 'zod';
export const graph = new StateGraph(z.object({ topic: z.string() }), Annotation.Root({ model_name: Annotation<string> }))
  .addNode('answer', () => ({}))
  .addEdge(START, 'answer')
  .compile();
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
    { logger: createLogger({ level: 'warn', format: 'json', destination }), watchAgents: true },
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
      {
        files: { 'agent.mts': agent, 'nested.ts': nested, 'zod.ts': zod, 'zod-context.ts': zodContext },
        compiler: 'real',
      },
      {
        agent: 'agent.mts:graph',
        made: 'agent.mts:made',
        messages: 'agent.mts:messages',
        nested: 'nested.ts:graph',
        zod: 'zod.ts:graph',
        zod_context: 'zod-context.ts:graph',
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
  });

  it('has an output of its own', async () => {
    const { state_schema, output_schema } = await ada.ok('GET', '/assistants/agent/schemas');
    expect(Object.keys(state_schema.properties).sort()).toEqual([
      'kept',
      'messages',
      'route',
      'shared',
      'sleep',
    ]);
    expect(Object.keys(output_schema.properties).sort()).toEqual(['messages', 'shared', 'sleep']);
    expect(output_schema).toMatchObject({ properties: { shared: { type: ['string', 'null'] } } });
  });

  it.each(['agent', 'messages'])(
    'shows messages by their classes, with the mark of a list: %s',
    async (name) => {
      const schemas = await ada.ok('GET', `/assistants/${name}/schemas`);
      for (const schema of [schemas.input_schema, schemas.output_schema, schemas.state_schema]) {
        expect(schema).toMatchObject({
          properties: {
            messages: {
              type: 'array',
              items: { $ref: '#/definitions/BaseMessage' },
              langgraph_type: 'messages',
            },
          },
          definitions: {
            BaseMessage: {
              oneOf: [
                { $ref: '#/definitions/BaseMessageChunk' },
                { $ref: '#/definitions/ToolMessage' },
                { $ref: '#/definitions/AIMessage' },
                { $ref: '#/definitions/ChatMessage' },
                { $ref: '#/definitions/FunctionMessage' },
                { $ref: '#/definitions/HumanMessage' },
                { $ref: '#/definitions/SystemMessage' },
                { $ref: '#/definitions/RemoveMessage' },
              ],
            },
          },
        });
      }
    },
  );

  it('has any object as its context when it names none', async () => {
    expect(await ada.ok('GET', '/assistants/messages/schemas')).toMatchObject({
      config_schema: { $schema: draft, type: 'object' },
    });
  });

  it('has types when a function makes it', async () => {
    const { state_schema } = await ada.ok('GET', '/assistants/made/schemas');
    expect(state_schema).toEqual({
      $schema: draft,
      type: 'object',
      properties: { topic: { type: 'string' } },
    });
  });

  it('has the types of the graphs inside it', async () => {
    expect(Object.keys(await ada.ok('GET', '/assistants/nested/subgraphs'))).toEqual(['gp_two']);
    const found = await ada.ok('GET', '/assistants/nested/subgraphs?recurse=true');
    const messages = {
      anyOf: [{ type: 'array', items: { type: 'string' } }, { $ref: '#/definitions/{__overwrite__:any[];}' }],
    };
    expect(Object.keys(found)).toEqual(['gp_two', 'gp_two|p_two']);
    expect(found).toMatchObject({
      gp_two: {
        state: {
          type: 'object',
          properties: { parent: { type: 'string', enum: ['parent_one', 'parent_two'] }, messages },
        },
      },
      'gp_two|p_two': {
        state: {
          type: 'object',
          properties: { child: { type: 'string', enum: ['child_one', 'child_two'] }, messages },
        },
      },
    });
  });

  it('has the types of its file when that has changed and the graphs are loaded again', async () => {
    const parent = async () => {
      const { gp_two } = await ada.ok('GET', '/assistants/nested/subgraphs');
      return gp_two.state.properties.parent;
    };
    expect(await parent()).toEqual({ type: 'string', enum: ['parent_one', 'parent_two'] });
    writeFileSync(started.project.file('nested.ts'), nested.replace("'parent_two'", "'parent_three'"));
    await expect.poll(parent).toEqual({ type: 'string', enum: ['parent_one', 'parent_three'] });
  });

  it('has the types that its schemas of zod tell, without the source', async () => {
    expect(await ada.ok('GET', '/assistants/zod/schemas')).toMatchObject({
      state_schema: { properties: { topic: { type: 'string' } } },
      config_schema: null,
    });
    expect(started.reasons()).toEqual([]);
  });

  it('has the context of its source when its state alone is zod', async () => {
    const schemas = await ada.ok('GET', '/assistants/zod_context/schemas');
    expect(schemas).toMatchObject({
      state_schema: { properties: { topic: { type: 'string' } }, required: ['topic'] },
      context_schema: { $schema: draft, type: 'object', properties: { model_name: { type: 'string' } } },
    });
    expect(schemas.config_schema).toEqual(schemas.context_schema);
  });
});

/** What the loaded graph tells of `agent` without its source. */
const withoutSource = {
  state_schema: {
    properties: { messages: { type: 'array', langgraph_type: 'messages' }, route: {}, shared: {}, sleep: {} },
  },
  config_schema: null,
  context_schema: null,
};
const wrong = agent.replace('export const graph =', 'export const graph: Missing =');

describe.each<[string, string, Parameters<typeof sourceProject>[0]['compiler'], string]>([
  ['has no compiler', agent, null, 'the project has no package `typescript`'],
  [
    'has a compiler of version 7',
    agent,
    { version: '7.0.2', text: "exports.version = '7.0.2';" },
    "the project's typescript 7.0.2 has no interface for programs",
  ],
  [
    'does not compile',
    wrong,
    'real',
    "the types do not say that graph is a graph; line 12: Cannot find name 'Missing'.",
  ],
])('a graph whose project %s', (_, text, compiler, reason) => {
  it('has what the loaded graph tells, with one warning', async () => {
    const started = await start({ files: { 'agent.mts': text }, compiler }, { agent: 'agent.mts:graph' });
    const schemas = await started.ada.ok('GET', '/assistants/agent/schemas');
    expect(await started.ada.ok('GET', '/assistants/agent/schemas')).toEqual(schemas);
    expect(schemas).toMatchObject(withoutSource);
    expect(started.reasons()).toMatchObject([{ file: started.project.file('agent.mts'), reason }]);
    await started.close();
  });
});

it('a compiler that takes long keeps no other request waiting, and its graph is answered after it', async () => {
  const held = `
    const fs = require('node:fs');
    fs.writeFileSync(__dirname + '/begun', '');
    while (!fs.existsSync(__dirname + '/open')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  `;
  const started = await start(
    { files: { 'agent.mts': agent, 'zod.ts': zod }, compiler: { version: '5.9.3', text: held } },
    { agent: 'agent.mts:graph', zod: 'zod.ts:graph' },
  );
  const { ada, project } = started;
  const asked = ada.ok('GET', '/assistants/agent/schemas');
  await expect.poll(() => existsSync(project.file('node_modules/typescript/begun'))).toBe(true);
  expect(await ada.ok('GET', '/assistants/zod/schemas')).toMatchObject({ graph_id: 'zod' });
  expect(started.reasons()).toEqual([]);
  writeFileSync(project.file('node_modules/typescript/open'), '');
  expect(await asked).toMatchObject(withoutSource);
  await started.close();
});
