import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';

/** A model over HTTP, as most agents have one. `BENCH_PROVIDER` is the address of peers/paced-provider.mjs. */
const model = new ChatOpenAI({
  model: 'paced',
  apiKey: 'none',
  maxRetries: 0,
  streaming: true,
  configuration: { baseURL: process.env.BENCH_PROVIDER ?? 'http://127.0.0.1:1/v1' },
});

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge('__start__', 'answer')
  .compile();
