import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { runPoolTask } from './pool-task.ts';
import type { CallOrigin, SavedWorkflow, WorkflowRunner } from './workflow-runner.ts';
import { toolNamesOf } from './workflow-tool-name.ts';

export const listWorkflowsName = 'list_workflows';

/** The user's workflows with the names of their tools. */
export function listWorkflowsTool(saved: readonly SavedWorkflow[]) {
  const names = toolNamesOf(saved);
  return tool(
    async (_input: object) =>
      JSON.stringify({
        workflows: saved.map(({ name, description, schema }, index) => ({
          name,
          tool: names[index],
          ...(description !== '' && { description }),
          params: Object.keys((schema.properties ?? {}) as object),
        })),
      }),
    {
      name: listWorkflowsName,
      description: 'Lists the saved workflows of the user, each with its tool and what that takes.',
      schema: z.object({}),
    },
  );
}

/** One tool for each saved workflow, typed by its parameters. */
export function savedWorkflowTools(workflows: WorkflowRunner, saved: readonly SavedWorkflow[]) {
  const names = toolNamesOf(saved);
  return saved.map((workflow, index) => savedWorkflowTool(workflows, workflow, names[index] ?? ''));
}

function savedWorkflowTool(
  workflows: WorkflowRunner,
  { id: workflowId, name, description, schema }: SavedWorkflow,
  toolName: string,
) {
  return tool(
    async (given: unknown, config) => {
      const params = given as Record<string, unknown>;
      const call = {
        toolName,
        args: params,
        orderOf: (origin: CallOrigin) => ({ ...origin, workflowId, params }),
      };
      return runPoolTask(workflows, call, config);
    },
    {
      name: toolName,
      description:
        `Runs the user's workflow "${name}" on the pool of workers and waits for it. ${description}`.trim(),
      schema,
    },
  );
}
