import type {
  SavedWorkflow,
  SavedWorkflowOrder,
  SavedWorkflowRunner,
} from '../src/agents/tools/workflow-runner.ts';

/** Saved workflows that record their calls. */
export function savedWorkflows(
  exposed: SavedWorkflow[],
): SavedWorkflowRunner & { orders: SavedWorkflowOrder[]; exposed: () => Promise<SavedWorkflow[]> } {
  const orders: SavedWorkflowOrder[] = [];
  return {
    orders,
    mark: async () => 1,
    exposed: async () => exposed,
    submit: async (order) => {
      orders.push(order);
      return { taskId: 'saved-1' };
    },
  };
}
