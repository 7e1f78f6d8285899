import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import { getRunTimeline } from '@switchyard/contract/conversation/timeline';
import { ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { RunTimelines } from './run-timelines.ts';

export function runTimelineRoutes(mount: Mount, { timelines }: { timelines: RunTimelines }): Routes {
  return (app) => {
    app.route({
      ...at(mount, getRunTimeline),
      handler: async (request) => {
        const { thread_id: threadId, run_id: runId } = request.params;
        return timelines.page(ownerOf(request), { threadId, runId }, request.query);
      },
    });
  };
}
