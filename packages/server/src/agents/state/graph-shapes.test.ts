import { FakeListChatModel } from '@langchain/core/utils/testing';
import { Annotation, MessagesAnnotation, MessagesValue, StateGraph, StateSchema } from '@langchain/langgraph';
import { createAgent } from 'langchain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentGraph } from '../loading/agents.ts';
import { GraphShapes } from './graph-shapes.ts';

const draft = 'http://json-schema.org/draft-07/schema#';
const Work = Annotation.Root({
  topic: Annotation<string>(),
  log: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
  count: Annotation<number>({ reducer: (_, next) => next, default: () => 0 }),
  once: Annotation<string>({ reducer: (_, next) => next, default: once(() => 'first') }),
});
const Answer = Annotation.Root({ log: Work.spec.log });
const Context = z.object({ model_name: z.string(), tone: z.enum(['dry', 'warm']).optional() });

/** A first value of which there is one, as code of users may make it. */
function once(make: () => string): () => string {
  let isMade = false;
  return () => {
    if (isMade) throw new Error('made already');
    isMade = true;
    return make();
  };
}

const pass = () => ({});

function shapesOf(graph: object) {
  return new GraphShapes({ fromSource: async () => null }).schemas(graph as AgentGraph, 'any');
}

describe('the schemas of a graph', () => {
  it('name the channels of an annotation, with what their first values say', async () => {
    const graph = new StateGraph({ stateSchema: Work, output: Answer })
      .addNode('pass', pass)
      .addEdge('__start__', 'pass')
      .compile();
    const { state_schema, input_schema, output_schema } = await shapesOf(graph);
    const log = { type: 'array' };

    expect(state_schema).toEqual({
      $schema: draft,
      type: 'object',
      properties: { topic: {}, log, count: { type: 'number' }, once: {} },
    });
    expect(input_schema).toEqual(state_schema);
    expect(output_schema).toEqual({ $schema: draft, type: 'object', properties: { log } });
  });

  it.each([
    [
      'an annotation',
      new StateGraph(MessagesAnnotation).addNode('pass', pass).addEdge('__start__', 'pass').compile(),
    ],
    [
      'a schema',
      new StateGraph(new StateSchema({ messages: MessagesValue }))
        .addNode('pass', pass)
        .addEdge('__start__', 'pass')
        .compile(),
    ],
  ])('mark the messages of %s as LangGraph marks them', async (_, graph: object) => {
    const { state_schema, input_schema } = await shapesOf(graph);
    for (const schema of [state_schema, input_schema])
      expect(schema).toMatchObject({ properties: { messages: { langgraph_type: 'messages' } } });
  });

  it('have the context that a zod schema describes', async () => {
    const graph = new StateGraph(Work, Context).addNode('pass', pass).addEdge('__start__', 'pass').compile();
    const agent = createAgent({
      model: new FakeListChatModel({ responses: ['x'] }),
      tools: [],
      contextSchema: Context,
    });
    const expected = {
      type: 'object',
      properties: { model_name: { type: 'string' }, tone: { type: 'string', enum: ['dry', 'warm'] } },
      required: ['model_name'],
    };
    for (const made of [graph, agent.graph]) {
      const { config_schema, context_schema } = await shapesOf(made);
      expect(context_schema).toMatchObject(expected);
      expect(config_schema).toEqual(context_schema);
    }
  });

  it('say nothing of a context that is an annotation, since LangGraph keeps none of it', async () => {
    const graph = new StateGraph(Work, Annotation.Root({ model_name: Annotation<string>() }))
      .addNode('pass', pass)
      .addEdge('__start__', 'pass')
      .compile();
    expect(await shapesOf(graph)).toMatchObject({ config_schema: null, context_schema: null });
  });
});

describe('the schemas of a graph whose source is known', () => {
  const from = (input: Record<string, unknown>) => ({
    input,
    output: null,
    state: null,
    config: { type: 'object' },
  });

  it('are those of the source, with what the channels know besides', async () => {
    const state = Annotation.Root({ ...Work.spec, messages: MessagesAnnotation.spec.messages });
    const graph = new StateGraph(state).addNode('pass', pass).addEdge('__start__', 'pass').compile();
    const properties = {
      log: {},
      topic: { type: 'string' },
      messages: { type: 'array', items: {} },
      more: {},
    };
    const source = from({ $schema: draft, type: 'object', properties, definitions: { A: {} } });
    const shapes = new GraphShapes({ fromSource: async () => ({ '': source }) });
    const { input_schema, output_schema, config_schema, context_schema } = await shapes.schemas(
      graph as unknown as AgentGraph,
      'any',
    );
    expect(input_schema).toEqual({
      $schema: draft,
      type: 'object',
      properties: {
        log: { type: 'array' },
        topic: { type: 'string' },
        messages: { type: 'array', items: {}, langgraph_type: 'messages' },
        more: {},
      },
      definitions: { A: {} },
    });
    expect(output_schema).toMatchObject({ properties: { topic: {}, count: { type: 'number' } } });
    expect(config_schema).toEqual({ type: 'object' });
    expect(context_schema).toEqual(config_schema);
  });

  it('are asked for what the graph does not tell itself', async () => {
    const asked: string[] = [];
    const shapes = new GraphShapes({
      fromSource: async (graphId, lacking) => {
        asked.push(`${graphId}: ${lacking}`);
        return null;
      },
    });
    const Topic = z.object({ topic: z.string() });
    const all = new StateGraph(Topic, Context).addNode('pass', pass).addEdge('__start__', 'pass').compile();
    await shapes.schemas(all as unknown as AgentGraph, 'all');
    const noContext = new StateGraph(Topic).addNode('pass', pass).addEdge('__start__', 'pass').compile();
    await shapes.schemas(noContext as unknown as AgentGraph, 'no context');
    const noState = new StateGraph(Work, Context)
      .addNode('pass', pass)
      .addEdge('__start__', 'pass')
      .compile();
    await shapes.schemas(noState as unknown as AgentGraph, 'no state');
    expect(asked).toEqual(['no context: context', 'no state: state']);
  });

  it('lend their context to a graph that tells its own state', async () => {
    const graph = new StateGraph(z.object({ topic: z.string() }))
      .addNode('pass', pass)
      .addEdge('__start__', 'pass')
      .compile();
    const source = from({ type: 'object', properties: { other: {} } });
    const shapes = new GraphShapes({ fromSource: async () => ({ '': source }) });
    const schemas = await shapes.schemas(graph as unknown as AgentGraph, 'any');
    expect(schemas.input_schema).toMatchObject({ properties: { topic: { type: 'string' } } });
    expect(schemas.context_schema).toEqual(source.config);
  });

  it('belong to inner graphs by their namespaces', async () => {
    const inner = new StateGraph(Answer).addNode('pass', pass).addEdge('__start__', 'pass').compile();
    const outer = new StateGraph(Work).addNode('leaf', inner).addEdge('__start__', 'leaf').compile();
    const source = from({ type: 'object', properties: { log: { items: {} } } });
    const shapes = new GraphShapes({ fromSource: async () => ({ leaf: source }) });
    const { leaf } = await shapes.subgraphs(outer as unknown as AgentGraph, {
      graphId: 'any',
      recurse: true,
    });
    expect(leaf?.input).toEqual(source.input);
  });
});

describe('the graphs inside a graph', () => {
  const inner = new StateGraph(z.object({ child: z.enum(['one', 'two']) }))
    .addNode('pass', pass)
    .addEdge('__start__', 'pass')
    .compile();
  const middle = new StateGraph(Work).addNode('leaf', inner).addEdge('__start__', 'leaf').compile();
  const outer = new StateGraph(Work)
    .addNode('branch', middle)
    .addEdge('__start__', 'branch')
    .compile() as unknown as AgentGraph;
  const shapes = new GraphShapes({ fromSource: async () => null });

  it('are named by their namespaces, those inside them only when they are asked for', async () => {
    const found = async (recurse: boolean, namespace?: string) =>
      Object.keys(
        await shapes.subgraphs(outer, { graphId: 'any', recurse, ...(namespace && { namespace }) }),
      );
    expect(await found(false)).toEqual(['branch']);
    expect(await found(true)).toEqual(['branch', 'branch|leaf']);
    expect(await found(true, 'branch|leaf')).toEqual(['branch|leaf']);
  });

  it('have their schemas under the names of the SDK and of the development server', async () => {
    const found = await shapes.subgraphs(outer, { graphId: 'any', recurse: true });
    const leaf = found['branch|leaf'];
    expect(leaf?.state).toMatchObject({
      type: 'object',
      properties: { child: { type: 'string', enum: ['one', 'two'] } },
    });
    expect(leaf).toMatchObject({
      graph_id: 'any',
      state_schema: leaf?.state,
      input_schema: leaf?.input,
      output_schema: leaf?.output,
      config_schema: leaf?.config,
    });
    expect(found.branch?.state).toMatchObject({ type: 'object', properties: { log: { type: 'array' } } });
  });
});
