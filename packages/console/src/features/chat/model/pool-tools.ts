/** Returns whether a tool runs a workflow on the pool, so that its call gets a card. */
export function runsWorkflow(toolName: string): boolean {
  return toolName === 'run_workflow' || toolName.startsWith('workflow_');
}

export const clarificationTool = 'ask_clarification';
export const subagentTool = 'task';
export const todosTool = 'write_todos';
