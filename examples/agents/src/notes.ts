import { AIMessage } from '@langchain/core/messages';
import { type LangGraphRunnableConfig, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

const namespace = ['notes'];

/**
 * This agent uses no model. It shows how a graph uses the store, which keeps each user's notes between conversations.
 */
async function answer(
  { messages }: typeof MessagesAnnotation.State,
  { store }: LangGraphRunnableConfig,
): Promise<typeof MessagesAnnotation.Update> {
  const said = messages.at(-1)?.text.trim() ?? '';
  const note = /^remember:?\s+(.+)$/i.exec(said)?.[1];
  if (note) {
    await store?.put(namespace, crypto.randomUUID(), { note });
    return reply(`I will remember: ${note}`);
  }
  const kept = (await store?.search(namespace, { limit: 20 })) ?? [];
  if (kept.length === 0) return reply('You have told me nothing yet. Write "remember" and what it is.');
  return reply(kept.map(({ value }) => `- ${value.note}`).join('\n'));
}

function reply(text: string): typeof MessagesAnnotation.Update {
  return { messages: [new AIMessage(text)] };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', answer)
  .addEdge(START, 'answer')
  .compile();
