import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';

/** A graph that does as little as possible: it shows the cost of a run itself. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', ({ messages }) => ({
    messages: [{ role: 'ai', content: `echo: ${messages.at(-1)?.text}` }],
  }))
  .addEdge('__start__', 'answer')
  .compile();
