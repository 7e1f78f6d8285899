import type { Patience } from '@switchyard/contract/dispatch/patience';
import type { TaskWebhook } from '@switchyard/contract/dispatch/tasks';
import type { TaskInputRow, TaskRow } from '../tables.ts';
import { savedWorkflowOf, targetsOf } from '../tasks/task-view.ts';
import type { RequestedTask } from './task-submission.ts';

/** A request for the same task once more. Its extra data is as it was sent, with its secrets. */
export function copyOf(row: TaskRow, input: TaskInputRow): RequestedTask {
  const targets = targetsOf(input);
  return {
    savedWorkflow: savedWorkflowOf(row),
    priorityBefore: row.priority,
    input: {
      workflow: JSON.parse(input.workflow) as Record<string, unknown>,
      params: JSON.parse(input.params) as Record<string, unknown>,
      ...(input.extraData !== null && { extraData: JSON.parse(input.extraData) as Record<string, unknown> }),
      ...(targets && { partialExecutionTargets: targets }),
      tags: JSON.parse(row.tags) as string[],
      retry: row.retryPolicy,
      maxAttempts: row.maxAttempts,
      ...(row.name !== null && { name: row.name }),
      ...(row.pinnedInstanceId !== null && { instanceId: row.pinnedInstanceId }),
      ...(row.pool !== null && { pool: row.pool }),
      ...(row.timeoutSeconds !== null && { timeoutSeconds: row.timeoutSeconds }),
      ...(row.patience !== null && { patience: JSON.parse(row.patience) as Patience }),
      ...(row.webhook !== null && { webhook: JSON.parse(row.webhook) as TaskWebhook }),
    },
  };
}
