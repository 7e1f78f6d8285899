import { type LangGraphRunnableConfig, MessagesAnnotation, StateGraph } from '@langchain/langgraph';

/**
 * Asks the address in the message again and again, and passes on each answer as an event until the answer is "the end". So the test says
 * when the next event comes.
 */
async function passOn(
  { messages }: typeof MessagesAnnotation.State,
  { signal, writer }: LangGraphRunnableConfig,
): Promise<object> {
  const address = String(messages.at(-1)?.content);
  for (;;) {
    const answer = await fetch(address, signal ? { signal } : {});
    const said = await answer.text();
    if (said === 'the end') return {};
    writer?.({ said });
  }
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('pass_on', passOn)
  .addEdge('__start__', 'pass_on')
  .compile();
