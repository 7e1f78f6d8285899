import { askClarificationTool } from './tools/ask-clarification.ts';
import type { ExternalTool } from './tools/external-tool.ts';
import { externalTools } from './tools/external-tools.ts';
import { listInstancesTool } from './tools/list-instances.ts';
import { runWorkflowTool } from './tools/run-workflow.ts';
import type { SavedWorkflow, WorkflowRunner } from './tools/workflow-runner.ts';
import { listWorkflowsTool, savedWorkflowTools } from './tools/workflow-tools.ts';

export interface LeadToolsOptions {
  /** Null where this gateway has no pool. */
  workflows: WorkflowRunner | null;
  /** Of the user that the agent works for; each becomes a tool. */
  saved?: readonly SavedWorkflow[];
  /** Of other servers. */
  extraTools?: readonly ExternalTool[];
}

/** All that the lead agent can do, in the order in which models are told of it. */
export function leadTools({ workflows, saved = [], extraTools = [] }: LeadToolsOptions) {
  return [
    askClarificationTool,
    ...(workflows ? poolTools(workflows, saved) : []),
    ...externalTools(extraTools),
  ];
}

function poolTools(workflows: WorkflowRunner, saved: readonly SavedWorkflow[]) {
  return [
    listInstancesTool(workflows),
    runWorkflowTool(workflows),
    listWorkflowsTool(saved),
    ...savedWorkflowTools(workflows, saved),
  ];
}
