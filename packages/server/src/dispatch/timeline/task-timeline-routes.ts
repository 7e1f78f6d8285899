import { getTaskTimeline } from '@switchyard/contract/dispatch/timeline';
import { ok } from '@switchyard/contract/envelope';
import { adminOrOwnerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { TaskTimelines } from './task-timelines.ts';

export function taskTimelineRoutes({ timelines }: { timelines: TaskTimelines }): Routes {
  return (app) => {
    app.route({
      ...getTaskTimeline,
      handler: async (request) =>
        ok(await timelines.page(adminOrOwnerOf(request), request.params.taskId, request.query)),
    });
  };
}
