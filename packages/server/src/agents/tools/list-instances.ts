import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { requireRunHandle } from '../run-contract/run-handle.ts';
import type { WorkflowRunner } from './workflow-runner.ts';

export const listInstancesName = 'list_instances';

export function listInstancesTool(workflows: WorkflowRunner) {
  return tool(
    async (_input: object, config) => {
      const { userId } = requireRunHandle(config);
      const instances = await workflows.instances(userId);
      return JSON.stringify({ instances });
    },
    {
      name: listInstancesName,
      description:
        'Lists the workers of the pool: name, state (idle, busy, unreachable and so on) and what each is working on.',
      schema: z.object({}),
    },
  );
}
