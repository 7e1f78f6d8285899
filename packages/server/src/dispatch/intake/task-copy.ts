import type { TaskWebhook } from '@switchyard/contract/dispatch/tasks';
import type { TaskInputRow, TaskRow } from '../tables.ts';
import { requestedSettings } from '../task-settings.ts';
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
      ...requestedSettings(row),
      ...(row.webhook !== null && { webhook: JSON.parse(row.webhook) as TaskWebhook }),
    },
  };
}
