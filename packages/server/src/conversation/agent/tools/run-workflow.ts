import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { runPoolTask } from './pool-task.ts';
import type { CallOrigin, WorkflowRunner } from './workflow-runner.ts';

export const runWorkflowName = 'run_workflow';

const arguments_ = z.object({
  workflow: z
    .record(z.string(), z.unknown())
    .describe("The graph in ComfyUI's API format: node ids, each with class_type and inputs."),
  params: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Values to put into the graph: `<node id>.<input>` or `<node title>.<input>`.'),
  name: z.string().max(200).optional().describe('What to call the task.'),
});

/** Submits a workflow to the pool for the owner of the thread, tells its progress and answers with what it made. */
export function runWorkflowTool(workflows: WorkflowRunner) {
  return tool(
    async ({ workflow, params = {}, name = null }, config) => {
      const order = { workflow, params, name };
      const call = {
        toolName: runWorkflowName,
        args: order,
        orderOf: (origin: CallOrigin) => ({ ...origin, ...order }),
      };
      return runPoolTask(workflows, call, config);
    },
    {
      name: runWorkflowName,
      description:
        'Runs a workflow on the pool of workers and waits for it. Answers with the files and texts that it made.',
      schema: arguments_,
    },
  );
}
