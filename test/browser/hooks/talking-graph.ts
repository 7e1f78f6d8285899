import { interrupt, MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { ScriptedModel } from '../../../packages/server/test/fixtures/agents/scripted-model.ts';

const model = new ScriptedModel();

function lastText({ messages }: typeof MessagesAnnotation.State): string {
  return messages.findLast(({ type }) => type === 'human')?.text ?? '';
}

/** Follows the script in the last message; one that begins with `may I` asks a person first. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addNode('ask', (state) => {
    const answer: unknown = interrupt({ question: lastText(state) });
    return { messages: [{ role: 'ai', content: `Answered: ${String(answer)}` }] };
  })
  .addConditionalEdges('__start__', (state) => (lastText(state).startsWith('may I') ? 'ask' : 'model'))
  .compile();
