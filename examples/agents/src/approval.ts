import { AIMessage } from '@langchain/core/messages';
import { Annotation, END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  draft: Annotation<string>,
});

/**
 * This agent uses no model. It shows how a graph stops for a person: the run ends, and a run with `command.resume`
 * continues.
 */
function draft({ messages }: typeof State.State): typeof State.Update {
  return { draft: `Dear all, ${messages.at(-1)?.text ?? ''}` };
}

function ask({ draft: text }: typeof State.State): typeof State.Update {
  const isApproved: boolean = interrupt({ question: 'Send this?', draft: text });
  return { messages: [new AIMessage(isApproved ? `Sent: ${text}` : 'Not sent.')] };
}

export const graph = new StateGraph(State)
  .addNode('write', draft)
  .addNode('ask', ask)
  .addEdge(START, 'write')
  .addEdge('write', 'ask')
  .addEdge('ask', END)
  .compile();
