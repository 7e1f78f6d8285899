import { Annotation, interrupt, MessagesAnnotation, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  answers: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});

const ask = (name: string) => () => ({
  answers: [`${name}: ${JSON.stringify(interrupt(`Which ${name}?`))}`],
});

/** It asks two questions at once, says what it heard, and stops once more before it is done. */
export const graph = new StateGraph(State)
  .addNode('colour', ask('colour'))
  .addNode('size', ask('size'))
  .addNode('say', ({ answers }) => ({ messages: [{ role: 'ai', content: answers.toSorted().join(', ') }] }))
  .addNode('end', () => ({ messages: [{ role: 'ai', content: 'All done.' }] }))
  .addEdge('__start__', 'colour')
  .addEdge('__start__', 'size')
  .addEdge(['colour', 'size'], 'say')
  .addEdge('say', 'end')
  .compile({ interruptBefore: ['end'] });
