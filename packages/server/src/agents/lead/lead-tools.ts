import type { UserTurns } from '../../lib/async/user-turns.ts';
import { askClarificationTool } from '../tools/ask-clarification.ts';
import type { ExternalTool } from '../tools/external-tool.ts';
import { externalTools } from '../tools/external-tools.ts';
import { fileTools } from '../tools/files/file-tools.ts';
import { listInstancesTool } from '../tools/list-instances.ts';
import type { PoolTools } from '../tools/pool-task.ts';
import { runWorkflowTool } from '../tools/run-workflow.ts';
import type { SavedWorkflow, WorkflowRunner } from '../tools/workflow-runner.ts';
import { listWorkflowsTool, savedWorkflowTools } from '../tools/workflow-tools.ts';
import type { FileMount, Workspace } from '../tools/workspace.ts';

export interface LeadToolsOptions {
  /** Null when this gateway has no pool. */
  workflows: WorkflowRunner | null;
  /** The saved workflows of the agent's user; each becomes a tool. */
  saved?: readonly SavedWorkflow[];
  /** The files of threads; without it the agent has no file tools. */
  workspace?: Workspace;
  /** File trees that the agent can read beside those of the thread. */
  mounts?: readonly FileMount[];
  /** Shared by all agents, because their searches use the same processors. */
  searches?: UserTurns;
  /** Tools of other servers. */
  extraTools?: readonly ExternalTool[];
}

/** Returns all tools of the lead agent, in the order in which models see them. */
export function leadTools({
  workflows,
  workspace,
  mounts = [],
  searches,
  saved = [],
  extraTools = [],
}: LeadToolsOptions) {
  return [
    askClarificationTool,
    ...(workspace ? fileTools({ workspace, mounts, ...(searches && { searches }) }) : []),
    ...(workflows ? poolTools({ workflows, workspace: workspace ?? null }, saved) : []),
    ...externalTools(extraTools, workspace ?? null),
  ];
}

function poolTools(pool: PoolTools, saved: readonly SavedWorkflow[]) {
  return [
    listInstancesTool(pool.workflows),
    runWorkflowTool(pool),
    listWorkflowsTool(saved),
    ...savedWorkflowTools(pool, saved),
  ];
}
