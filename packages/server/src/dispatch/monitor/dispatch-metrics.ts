import type { DispatchParts } from '../dispatch-parts.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { PushHub } from '../push/push-hub.ts';
import type { Matchmaker } from '../queue/matchmaker.ts';

/** Counts the events of this process, so that the sum over all replicas is right; states are read when the metrics are requested. */
export function measureDispatch({
  metrics,
  events,
  matchmaker,
  fleet,
  hub,
}: Pick<DispatchParts, 'metrics' | 'events'> & {
  matchmaker: Pick<Matchmaker, 'size'>;
  fleet: Pick<Fleet, 'views'>;
  hub: Pick<PushHub, 'size'>;
}): () => void {
  metrics.beforeScrape(() => {
    metrics.queueDepth.set(matchmaker.size);
    metrics.instancesUp.set(fleet.views().filter(({ alive }) => alive).length);
    metrics.pushSockets.set(hub.size);
  });
  return events.listenHere((event) => {
    if (event.type === 'task_started') {
      const { createdAt, startedAt } = event.task;
      if (startedAt !== null) metrics.taskWait.observe(secondsBetween(createdAt, startedAt));
    }
    if (event.type === 'task_ended') {
      const { status, startedAt, finishedAt } = event.task;
      metrics.tasksEnded.inc({ status });
      if (startedAt !== null && finishedAt !== null)
        metrics.taskRun.observe(secondsBetween(startedAt, finishedAt));
    }
  });
}

function secondsBetween(from: string, to: string): number {
  return Math.max(Date.parse(to) - Date.parse(from), 0) / 1000;
}
