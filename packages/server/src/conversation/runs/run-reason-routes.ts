import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import { whyRun } from '@switchyard/contract/conversation/run-why';
import { ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { RunReasons } from './run-reasons.ts';

export function runReasonRoutes(mount: Mount, { reasons }: { reasons: RunReasons }): Routes {
  return (app) => {
    app.route({
      ...at(mount, whyRun),
      handler: async (request) => {
        const { thread_id: threadId, run_id: runId } = request.params;
        return reasons.why(ownerOf(request), { threadId, runId });
      },
    });
  };
}
