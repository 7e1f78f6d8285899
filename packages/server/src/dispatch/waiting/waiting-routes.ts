import { whyTask } from '@switchyard/contract/dispatch/task-why';
import { foreseeWorkflow } from '@switchyard/contract/dispatch/workflow-outlook';
import { ok } from '@switchyard/contract/envelope';
import { adminOrOwnerOf, identityOf, isAdmin } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { Waiting } from './waiting.ts';
import type { WorkflowOutlooks } from './workflow-outlooks.ts';

export function waitingRoutes({
  waiting,
  outlooks,
}: {
  waiting: Waiting;
  outlooks: WorkflowOutlooks;
}): Routes {
  return (app) => {
    app.route({
      ...whyTask,
      handler: async (request) => ok(await waiting.why(adminOrOwnerOf(request), request.params.taskId)),
    });

    app.route({
      ...foreseeWorkflow,
      handler: async (request) => {
        const { userId } = identityOf(request);
        const byAdmin = isAdmin(identityOf(request));
        return ok(await outlooks.of({ userId, byAdmin }, request.params.workflowId, request.body));
      },
    });
  };
}
