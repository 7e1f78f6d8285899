import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { type PoolTools, runPoolTask } from './pool-task.ts';
import { withGraphFiles } from './workflow-inputs.ts';

export const runWorkflowName = 'run_workflow';

const arguments_ = z.object({
  workflow: z
    .record(z.string(), z.unknown())
    .describe(
      "The graph in ComfyUI's API format: node ids, each with class_type and inputs. An input may name a file of this conversation by its path, such as /mnt/user-data/uploads/cat.png.",
    ),
  params: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'Values to put into the graph: `<node id>.<input>` or `<node title>.<input>`. Files by their paths, as in the graph.',
    ),
  name: z.string().max(200).optional().describe('What to call the task.'),
});

/** Submits a workflow to the pool for the owner of the thread, reports its progress and returns what it made. */
export function runWorkflowTool(pool: PoolTools) {
  return tool(
    async ({ workflow, params = {}, name = null }, config) =>
      runPoolTask(
        pool,
        {
          toolName: runWorkflowName,
          args: { workflow, params, name },
          params,
          withFiles: (files) => withGraphFiles({ workflow, params }, files),
          orderOf: (origin) => ({ ...origin, workflow, name }),
        },
        config,
      ),
    {
      name: runWorkflowName,
      description:
        'Runs a workflow on the pool of workers and waits for it. Returns the files and texts that it made; files are put into /mnt/user-data/outputs.',
      schema: arguments_,
    },
  );
}
