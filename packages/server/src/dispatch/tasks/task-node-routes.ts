import { listTaskNodes } from '@switchyard/contract/dispatch/task-node';
import { ok } from '@switchyard/contract/envelope';
import { adminOrOwnerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { TaskNodes } from './task-nodes.ts';

export function taskNodeRoutes({ taskNodes }: { taskNodes: TaskNodes }): Routes {
  return (app) => {
    app.route({
      ...listTaskNodes,
      handler: async (request) => {
        const { limit = 200, cursor } = request.query;
        return ok(await taskNodes.page(adminOrOwnerOf(request), request.params.taskId, { limit, cursor }));
      },
    });
  };
}
