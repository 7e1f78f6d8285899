import type { TaskSpan } from '@switchyard/contract/dispatch/timeline';
import type { PoolSpan, PoolSpans } from '../conversation/timeline/run-timelines.ts';
import type { TaskTimelines } from '../dispatch/timeline/task-timelines.ts';
import type { Database } from '../platform/database/database.ts';

/** The spans of tasks as the timelines of runs show them, over one snapshot; the areas do not know each other. */
export function poolSpansOf(
  timelinesOver: (frozen: Database<unknown>) => Pick<TaskTimelines, 'first'>,
): (frozen: Database<unknown>) => PoolSpans {
  return (frozen) => poolSpans(timelinesOver(frozen));
}

function poolSpans(timelines: Pick<TaskTimelines, 'first'>): PoolSpans {
  return {
    first: async (userId, { after, ...query }) => {
      const spans = await timelines.first({ user: userId }, { ...query, after, from: after?.start ?? null });
      return spans.map(poolSpan);
    },
  };
}

function poolSpan({ parentId, workerSeconds, links, ...span }: TaskSpan): PoolSpan {
  return {
    ...span,
    parent_id: parentId,
    tokens: null,
    simulated: false,
    worker_seconds: workerSeconds,
    links: {
      tool_call_id: null,
      task_id: links.taskId,
      instance_id: links.instanceId,
      instance_name: links.instanceName,
      node_id: links.nodeId,
    },
  };
}
