import { createRequire } from 'node:module';
import { MemorySaver } from '@langchain/langgraph-checkpoint';
import { expect, it } from 'vitest';
import { commandOf, type GraphCommand } from './graph-command.ts';

/** A second copy of LangGraph, such as an agent has in its own `node_modules` or loads as CommonJS. */
const other: typeof import('@langchain/langgraph') = createRequire(import.meta.url)('@langchain/langgraph');

const State = other.Annotation.Root({
  log: other.Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});

async function after(command: GraphCommand): Promise<string[]> {
  const graph = new other.StateGraph(State)
    .addNode('begin', () => ({ log: ['begun'] }), { ends: ['say'] })
    .addNode('say', ({ word }: { word?: string }) => ({ log: [`said ${word}`] }))
    .addEdge('__start__', 'begin')
    .compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: 'one' } };
  await graph.invoke({}, config);
  const { log } = await graph.invoke((await commandOf(command)) as object, config);
  return log;
}

it('sends separate inputs to nodes of a graph that has another copy of LangGraph', async () => {
  const goto = [
    { node: 'say', input: { word: 'one' } },
    { node: 'say', input: { word: 'two' } },
  ];
  expect(await after({ goto })).toEqual(['begun', 'said one', 'said two']);
  expect(await after({ goto: goto[0] })).toEqual(['begun', 'said one']);
});

it.each<[string, unknown]>([
  ['by channel', { log: ['changed'] }],
  ['as pairs', [['log', ['changed']]]],
])('changes the state, told %s, and sends at once', async (_, update) => {
  const goto = { node: 'say', input: { word: 'one' } };
  expect(await after({ update, goto })).toEqual(['begun', 'changed', 'said one']);
  const both = await after({ update, goto: [goto, 'say'] });
  expect(both.slice(0, 2)).toEqual(['begun', 'changed']);
  expect(both.slice(2).sort()).toEqual(['said one', 'said undefined']);
});
