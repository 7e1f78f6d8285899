import { whyTask } from '@switchyard/contract/dispatch/task-why';
import { ok } from '@switchyard/contract/envelope';
import { adminOrOwnerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { Waiting } from './waiting.ts';

export function waitingRoutes({ waiting }: { waiting: Waiting }): Routes {
  return (app) => {
    app.route({
      ...whyTask,
      handler: async (request) => ok(await waiting.why(adminOrOwnerOf(request), request.params.taskId)),
    });
  };
}
