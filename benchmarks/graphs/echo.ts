import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';

/** The least that a graph can do: what a run costs besides. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', ({ messages }) => ({
    messages: [{ role: 'ai', content: `echo: ${messages.at(-1)?.text}` }],
  }))
  .addEdge('__start__', 'answer')
  .compile();
