import { interrupt } from '@langchain/langgraph';
import { isRecord } from '@switchyard/contract/is-record';
import type { SavedWorkflowOrder, WorkflowApprovals, WorkflowOrder } from './workflow-runner.ts';

interface AnswerableConfig {
  configurable?: Record<string, unknown> | undefined;
}

/**
 * Returns null when the call may proceed, and otherwise the message for the model. When a human has to decide, the run is
 * interrupted. The call is then made again with the answer, and finds it here.
 */
export async function askHuman(
  approvals: WorkflowApprovals,
  {
    order,
    toolName,
    args,
  }: {
    order: WorkflowOrder | SavedWorkflowOrder;
    toolName: string;
    args: Record<string, unknown>;
  },
  config: AnswerableConfig,
): Promise<string | null> {
  const question = await approvals.question(order);
  // A human's decision stays valid even when the workflow would no longer need approval: a refusal must not turn into a pass
  // because the cost has fallen.
  if (question === null && !hasAnswer(config)) return null;
  // Asks in the form of LangChain's own middleware, so that every client knows how to answer.
  const answer: unknown = interrupt({
    actionRequests: [{ name: toolName, args, description: question ?? '' }],
    reviewConfigs: [{ actionName: toolName, allowedDecisions: ['approve', 'reject'] }],
  });
  return whyRefused(answer);
}

/**
 * LangGraph keeps the answers to a call beside its configuration. It gives them only to `interrupt`, which stops the run when
 * there are none.
 */
function hasAnswer({ configurable }: AnswerableConfig): boolean {
  const scratchpad = configurable?.__pregel_scratchpad as
    | { resume?: unknown[]; nullResume?: unknown }
    | undefined;
  return scratchpad?.nullResume !== undefined || (scratchpad?.resume?.length ?? 0) > 0;
}

/** Returns null for an approval. An answer that cannot be understood is a refusal. */
function whyRefused(answer: unknown): string | null {
  const decisions = isRecord(answer) && Array.isArray(answer.decisions) ? answer.decisions : [];
  const [decision] = decisions as unknown[];
  if (!isRecord(decision) || typeof decision.type !== 'string') {
    return 'The user was asked whether the workflow may run and gave no decision. It did not run.';
  }
  if (decision.type === 'approve') return null;
  const words = typeof decision.message === 'string' && decision.message !== '' ? ` ${decision.message}` : '';
  return `The user did not approve this workflow, and it did not run.${words}`;
}
