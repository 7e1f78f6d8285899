import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SourceProject, sourceProject } from '../../../../testing/source-project.ts';
import { type Compiler, loadCompiler, type OpenedSource, openSource } from './compiler.ts';
import type { SchemasByNamespace } from './json-schema.ts';
import { sourceGraphs } from './source-graphs.ts';

const imports = `import { Annotation, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';\n`;
const draft = 'http://json-schema.org/draft-07/schema#';

const factories = [
  'builder.compile()',
  '() => builder.compile()',
  'builder',
  '() => builder',
  '(async () => builder.compile())()',
  'async () => builder.compile()',
  '(async () => builder)()',
  'async () => builder',
];

/** How a node may be a graph: each makes the export `graph`, whose node `child` is or calls `subgraph`. */
const nodes = [
  "parent.addNode('child', subgraph).compile()",
  "parent.addNode('child', (state) => subgraph.invoke(state)).compile()",
  "parent.addNode('child', async (state) => await subgraph.invoke(state)).compile()",
  "parent.addNode('child', sub.compile()).compile()",
  "parent.addNode('child', () => ({}), { subgraphs: [subgraph] }).compile()",
  'parent.addNode({ child: subgraph }).compile()',
  "parent.addNode([['child', subgraph]]).compile()",
  "indirect.addNode('child', imported).compile()",
  "() => { const inner = new StateGraph(MessagesAnnotation).addNode('child', subgraph); return inner.compile(); }",
];

const files = {
  'factories.mts': `${imports}
const builder = new StateGraph(MessagesAnnotation).addNode('parent', () => ({})).addEdge('__start__', 'parent');
${factories.map((text, index) => `export const graph${index} = ${text};`).join('\n')}
export default function make() { return builder; }
`,
  'subgraph.mts': `${imports}
export const Kinds = Annotation.Root({ ...MessagesAnnotation.spec, kind: Annotation<'weather' | 'other'> });
export const subgraph = new StateGraph(Kinds).addNode('leaf', () => ({})).addEdge('__start__', 'leaf').compile();
`,
  'nodes.mts': `${imports}
import { Kinds, subgraph as imported } from './subgraph.mjs';
const sub = new StateGraph(Kinds).addNode('leaf', () => ({})).addEdge('__start__', 'leaf');
const subgraph = sub.compile();
const parent = new StateGraph(MessagesAnnotation).addNode('parent', () => ({}));
const indirect = parent;
${nodes.map((text, index) => `export const graph${index} = ${text};`).join('\n')}
`,
  'statements.mts': `${imports}
import { subgraph } from './subgraph.mjs';
const Child = Annotation.Root({ child: Annotation<'alpha' | 'beta'> });
const middle = new StateGraph(Child).addNode('first', () => ({})).addNode('leaf', subgraph).compile();
const builder = new StateGraph(MessagesAnnotation) as any as StateGraph<typeof MessagesAnnotation.spec>;
builder.addNode('middle', middle).addNode('constructor', subgraph);
export { builder as graph };
`,
  'contexts.mts': `${imports}
import { createAgent } from 'langchain';
import { z } from 'zod';
const state = Annotation.Root({ messages: Annotation<string[]>({ reducer: (a, b) => a.concat(b) }) });
const plain = new StateGraph(state, Annotation.Root({ model: Annotation<string>, tone: Annotation<'dry' | 'warm'>() }));
export const graph = plain.addNode('child', (state) => state).addEdge(START, 'child').addEdge('child', END).compile();
const Context = Annotation.Root({ model: Annotation<string>, tone: Annotation<'dry' | 'warm'>() });
export const second = new StateGraph(z.object({ topic: z.string() }), Context).addNode('child', () => ({})).compile();
export const option = new StateGraph(z.object({ topic: z.string() }), { context: Context }).addNode('child', () => ({})).compile();
export const agent = createAgent({ model: 'none', tools: [], contextSchema: Context });
`,
  'partly.mts': `${imports}
import type { Gone } from './gone.ts';
const state = Annotation.Root({ gone: Annotation<Gone>(), kept: Annotation<string>() });
export const graph = new StateGraph(state).addNode('child', () => ({})).compile();
`,
  'all.mts': `
export * from './nodes.mts';
${factories.map((_, index) => `export { graph${index} as factory${index} } from './factories.mts';`).join('\n')}
export { default } from './factories.mts';
export { graph as statements } from './statements.mts';
export { graph as contexts, second as contextOfZod, option as contextInOptions, agent as contextOfAgent } from './contexts.mts';
export { graph as partly } from './partly.mts';
`,
  'silent.mts': `
export const graph: any = 1;

export const wrong: Missing = 1;
export const compiled = { lg_is_pregel: true };
`,
};

const messages = { type: 'array', items: { $ref: '#/definitions/BaseMessage' } };
const kind = { type: 'string', enum: ['weather', 'other'] };

let project: SourceProject;
let compiler: Compiler;
let all: OpenedSource;
const graphsOf = (exportName: string): SchemasByNamespace => sourceGraphs(all, exportName);

beforeAll(() => {
  project = sourceProject({ files, compiler: 'real' });
  compiler = loadCompiler(createRequire(project.file('all.mts')).resolve('typescript'));
  all = openSource(compiler, project.file('all.mts'));
});
afterAll(() => project.remove());

describe('the graphs of a source', () => {
  it.each(
    factories.map((text, index) => [text, `factory${index}`]).concat([['a function by default', 'default']]),
  )('are described when it exports %s', (_, exportName) => {
    const { '': graph } = graphsOf(exportName);
    for (const schema of [graph?.input, graph?.output, graph?.state]) {
      expect(schema).toMatchObject({ $schema: draft, type: 'object', properties: { messages } });
    }
    expect(graph?.config).toEqual({ $schema: draft, type: 'object' });
  });

  it.each(nodes.map((text, index) => [text, `graph${index}`]))('are found inside %s', (_, exportName) => {
    const found = graphsOf(exportName);
    expect(Object.keys(found)).toEqual(['', 'child']);
    expect(found.child?.input).toMatchObject({ properties: { kind, messages } });
    expect(found.child?.output).toMatchObject({ properties: { kind, messages } });
    expect(found.child?.state).toMatchObject({ properties: { kind, messages } });
    expect(found['']?.state).toMatchObject({ properties: { messages } });
  });

  it('are found in statements, in graphs of graphs and under names of our own', () => {
    const found = graphsOf('statements');
    expect(Object.keys(found)).toEqual(['', 'middle', 'middle|leaf', 'constructor']);
    expect(found.middle?.state).toMatchObject({ properties: { child: { enum: ['alpha', 'beta'] } } });
    expect(found['middle|leaf']?.state).toMatchObject({ properties: { kind } });
  });

  it.each([
    ['an annotation', 'contexts'],
    ['zod', 'contextOfZod'],
    ['zod, with the context among its options', 'contextInOptions'],
    ['that of createAgent', 'contextOfAgent'],
  ])('have the context that is an annotation when their state is %s', (_, exportName) => {
    expect(graphsOf(exportName)['']?.config).toEqual({
      $schema: draft,
      type: 'object',
      properties: { model: { type: 'string' }, tone: { type: 'string', enum: ['dry', 'warm'] } },
    });
  });

  it.each([
    ['graph', "the types do not say that graph is a graph; line 4: Cannot find name 'Missing'."],
    ['wrong', "the types do not say that wrong is a graph; line 4: Cannot find name 'Missing'."],
    ['compiled', 'the types of compiled say nothing; line 4: '],
    ['none', 'the compiler finds no export none'],
  ])('are unknown when the types say nothing: %s', (exportName, reason) => {
    const silent = openSource(compiler, project.file('silent.mts'));
    expect(() => sourceGraphs(silent, exportName)).toThrow(reason);
  });

  it('lack only the channels whose types are not found', () => {
    expect(graphsOf('partly')['']?.state).toMatchObject({
      properties: { gone: {}, kept: { type: 'string' } },
    });
  });
});
