import { setTimeout as delay } from 'node:timers/promises';
import {
  spanIdOf,
  type TracePlace,
  tracePlaceOf,
  traceparentOf,
} from '../../platform/telemetry/trace-ids.ts';
import type { Traces } from '../../platform/telemetry/traces.ts';
import type { DispatchEvents } from '../dispatch-events.ts';
import type { TaskRow } from '../tables.ts';
import type { AttemptRow, AttemptStore } from '../tasks/attempt-store.ts';
import { taskErrorOf } from '../tasks/task-messages.ts';

/** Attempts of tasks that end within this time are read together: one query for each task costs more than its spans. */
const gatherMs = 100;
/** Further tasks that end within that time are left out. */
const maxEnded = 5_000;

/**
 * Emits the spans of a task when it has ended, from its rows. So they are those of the timeline, and an attempt belongs to the trace of
 * the request whichever process made it.
 */
export function traceTasks({
  traces,
  events,
  attempts,
}: {
  traces: Traces;
  events: Pick<DispatchEvents, 'listenHere'>;
  attempts: Pick<AttemptStore, 'ofEach'>;
}): void {
  const ended: TaskRow[] = [];
  const emitAll = async (): Promise<void> => {
    await delay(gatherMs);
    const tasks = ended.splice(0);
    const found = await attempts.ofEach(tasks.map(({ id }) => id));
    for (const task of tasks) emitTask(task, { traces, attempts: found.get(task.id) ?? [] });
  };
  events.listenHere((event) => {
    if (event.type !== 'task_ended' || ended.length === maxEnded) return;
    if (ended.push(event.task) === 1 && !traces.later(emitAll)) ended.pop();
  });
}

type AttemptOfTask = Pick<TaskRow, 'id' | 'traceparent' | 'attempt'>;

/** Returns the place of what an attempt does. */
export function placeInAttempt({
  id,
  traceparent,
  attempt,
}: AttemptOfTask): TracePlace & { parentId: string } {
  return { traceId: tracePlaceOf(traceparent, id).traceId, parentId: spanIdOf(`${id}.${attempt}`) };
}

/** Returns the `traceparent` for the worker. */
export function traceparentOfAttempt(task: AttemptOfTask): string {
  const { traceId, parentId } = placeInAttempt(task);
  return traceparentOf(traceId, parentId);
}

function emitTask(
  task: TaskRow,
  { traces, attempts }: { traces: Traces; attempts: readonly AttemptRow[] },
): void {
  const { id, requestId, conversation } = task;
  const place = tracePlaceOf(task.traceparent, id);
  const taskSpan = spanIdOf(id);
  const of = conversation === null ? null : (JSON.parse(conversation) as { threadId: string; runId: string });
  const common = {
    'switchyard.task_id': id,
    ...(requestId !== null && { 'switchyard.request_id': requestId }),
    ...(of && { 'switchyard.thread_id': of.threadId, 'switchyard.run_id': of.runId }),
  };
  const error = taskErrorOf(task)?.code;
  const endMs = Date.parse(task.finishedAt ?? task.updatedAt);
  traces.emit({
    name: 'task',
    spanId: taskSpan,
    place,
    startMs: Date.parse(task.createdAt),
    endMs,
    attributes: { ...common, 'switchyard.status': task.status, ...(error && { 'error.type': error }) },
    failed: task.status === 'failed',
  });
  for (const { attempt, instanceId, startedAt, endedAt, outcome } of attempts) {
    traces.emit({
      name: 'attempt',
      spanId: spanIdOf(`${id}.${attempt}`),
      place: { traceId: place.traceId, parentId: taskSpan },
      startMs: Date.parse(startedAt),
      endMs: endedAt === null ? endMs : Date.parse(endedAt),
      attributes: {
        ...common,
        'switchyard.attempt': attempt,
        'switchyard.instance_id': instanceId,
        'switchyard.outcome': outcome ?? 'unknown',
      },
      failed: outcome !== 'completed',
    });
  }
}
