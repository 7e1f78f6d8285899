import {
  createScheduledTask,
  deleteScheduledTask,
  getScheduledTask,
  listScheduledTaskRuns,
  listScheduledTasks,
  listScheduledTasksOfThread,
  patchScheduledTask,
  pauseScheduledTask,
  resumeScheduledTask,
  triggerScheduledTask,
} from '@switchyard/contract/conversation/scheduled-tasks';
import { ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { ScheduledTasks } from './scheduled-tasks.ts';

export function scheduledTaskRoutes({ tasks }: { tasks: ScheduledTasks }): Routes {
  return (app) => {
    app.route({ ...listScheduledTasks, handler: async (request) => tasks.list(ownerOf(request)) });

    app.route({
      ...listScheduledTasksOfThread,
      handler: async (request) => tasks.ofThread(ownerOf(request), request.params.thread_id),
    });

    app.route({
      ...createScheduledTask,
      handler: async (request) => tasks.create(ownerOf(request), request.body),
    });

    app.route({
      ...getScheduledTask,
      handler: async (request) => tasks.get(ownerOf(request), request.params.task_id),
    });

    app.route({
      ...patchScheduledTask,
      handler: async (request) => tasks.patch(ownerOf(request), request.params.task_id, request.body),
    });

    app.route({
      ...deleteScheduledTask,
      handler: async (request) => {
        const { task_id: id } = request.params;
        await tasks.delete(ownerOf(request), id);
        return { id, deleted: true };
      },
    });

    app.route({
      ...pauseScheduledTask,
      handler: async (request) => tasks.switch(ownerOf(request), request.params.task_id, 'paused'),
    });

    app.route({
      ...resumeScheduledTask,
      handler: async (request) => tasks.switch(ownerOf(request), request.params.task_id, 'enabled'),
    });

    app.route({
      ...triggerScheduledTask,
      handler: async (request) => {
        const { task_id: id } = request.params;
        await tasks.trigger(ownerOf(request), id);
        return { id, triggered: true };
      },
    });

    app.route({
      ...listScheduledTaskRuns,
      handler: async (request) => {
        const { limit = 50, offset = 0 } = request.query;
        return tasks.history(ownerOf(request), request.params.task_id, { limit, offset });
      },
    });
  };
}
