import { interrupt, type Runtime, StateGraph } from '@langchain/langgraph';
import { z } from 'zod';

const Request = z.object({
  topic: z.string().describe('What the report is about.'),
  pages: z.number().int().min(1).max(9).default(2),
  sources: z.array(z.string()).default([]),
});
const State = Request.extend({ report: z.string().default('') });
const Context = z.object({ tone: z.enum(['dry', 'warm']).default('dry').describe('How it sounds.') });

const review = {
  question: 'Is this report good enough?',
  schema: z.toJSONSchema(z.object({ grade: z.number().int().min(1).max(6), remark: z.string().optional() })),
};

/** A workflow without messages. It asks for a grade, in a form of its own, before it is done. */
export const graph = new StateGraph(State, { input: Request, context: Context })
  .addNode('write', ({ topic, pages }, { context }: Runtime<z.infer<typeof Context>>) => ({
    report: `A ${context?.tone ?? 'plain'} report about ${topic} on ${pages} pages.`,
  }))
  .addNode('review', ({ report }) => {
    const { grade } = interrupt<typeof review, { grade: number }>(review);
    return { report: `${report} Grade ${grade}.` };
  })
  .addEdge('__start__', 'write')
  .addEdge('write', 'review')
  .compile();
