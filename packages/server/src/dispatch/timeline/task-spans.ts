import type { TaskSpan, TaskSpanState } from '@switchyard/contract/dispatch/timeline';
import { type WorkerPrice, workerCost } from '../../lib/worker-price.ts';
import type { TaskRow } from '../tables.ts';
import { taskErrorOf } from '../tasks/task-messages.ts';
import type { AttemptNodes } from '../tasks/task-nodes.ts';

export type TimedTask = Pick<
  TaskRow,
  'id' | 'name' | 'status' | 'phase' | 'error' | 'createdAt' | 'finishedAt'
>;

export interface TaskParts {
  task: TimedTask;
  /** In their order. */
  attempts: readonly AttemptNodes[];
  /** The name of an instance for attempts whose row does not have it; null when the instance is gone. */
  nameOf: (instanceId: string) => string | null;
  price: WorkerPrice | null;
  nowMs: number;
}

/** The spans of one task, made of its rows alone. */
export function spansOfTask(parts: TaskParts): TaskSpan[] {
  const attempts = parts.attempts.map((attempt) => attemptSpan(attempt, parts));
  const seconds = attempts.flatMap(({ workerSeconds }) => workerSeconds ?? []);
  const workerSeconds = seconds.length === 0 ? null : rounded(seconds.reduce((sum, each) => sum + each, 0));
  const { task, price } = parts;
  return [
    {
      ...emptySpan(task.id),
      id: task.id,
      kind: 'task',
      name: task.name,
      start: task.createdAt,
      end: task.finishedAt,
      state: taskState(task),
      workerSeconds,
      ...workerCost(price, workerSeconds),
    },
    ...queueSpans(parts),
    ...attempts,
    ...parts.attempts.flatMap((attempt) => nodeSpans(attempt, task.id)),
  ];
}

function emptySpan(taskId: string) {
  return {
    parentId: null,
    name: null,
    attempt: null,
    workerSeconds: null,
    cost: null,
    currency: null,
    links: { taskId, instanceId: null, instanceName: null, nodeId: null },
  };
}

function taskState({ status, error }: TimedTask): TaskSpanState {
  if (status === 'completed') return 'success';
  if (status !== 'failed') return status === 'pending' ? 'waiting' : 'running';
  return taskErrorOf({ error })?.code === 'cancelled' ? 'cancelled' : 'error';
}

/** The task waits before its first attempt, and again after an attempt that was not a success and not the last one. */
function queueSpans({ task, attempts }: TaskParts): TaskSpan[] {
  const waits: { start: string; end: string | null }[] = [];
  let since: string | null = task.createdAt;
  for (const { attempt } of attempts) {
    if (since !== null) waits.push({ start: since, end: attempt.startedAt });
    since = attempt.endedAt;
  }
  const isWaiting = task.phase === 'queued';
  if (since !== null && (isWaiting || (task.finishedAt !== null && task.finishedAt > since))) {
    waits.push({ start: since, end: task.finishedAt });
  }
  return waits.map(({ start, end }, index) => ({
    ...emptySpan(task.id),
    // Its place is before the attempt, which may begin in the same millisecond.
    id: `${task.id}.0.${index + 1}`,
    parentId: task.id,
    kind: 'queue',
    start,
    end,
    state: end === null ? 'waiting' : end === task.finishedAt ? taskState(task) : 'success',
  }));
}

function attemptSpan({ attempt }: AttemptNodes, { task, nameOf, price, nowMs }: TaskParts): TaskSpan {
  const { instanceId, acceptedAt, endedAt, startedAt } = attempt;
  const instanceName = attempt.serverName ?? nameOf(instanceId);
  const workerSeconds = acceptedAt === null ? null : secondsBetween(acceptedAt, endedAt, nowMs);
  return {
    ...emptySpan(task.id),
    id: attemptId(task.id, attempt.attempt),
    parentId: task.id,
    kind: 'attempt',
    name: instanceName ?? instanceId,
    attempt: attempt.attempt,
    start: startedAt,
    end: endedAt,
    state: attemptState(attempt, task),
    workerSeconds,
    ...workerCost(price, workerSeconds),
    links: { taskId: task.id, instanceId, instanceName, nodeId: null },
  };
}

/** An attempt that ended before its task did was followed by another one. */
function attemptState({ endedAt, outcome }: AttemptNodes['attempt'], task: TimedTask): TaskSpanState {
  if (endedAt === null) return 'running';
  if (outcome === 'completed') return 'success';
  return task.finishedAt === endedAt ? taskState(task) : 'interrupted';
}

const nodeStates = {
  running: 'running',
  finished: 'success',
  cached: 'cached',
  failed: 'error',
  stopped: 'interrupted',
} as const satisfies Record<string, TaskSpanState>;

/**
 * The nodes of an attempt, one by one as far as they are recorded so. Nodes of which no time is known share a span as
 * long as the attempt: a worker named them only afterwards.
 */
function nodeSpans({ attempt, nodes, folded }: AttemptNodes, taskId: string): TaskSpan[] {
  const parentId = attemptId(taskId, attempt.attempt);
  const common = { ...emptySpan(taskId), parentId, kind: 'node', attempt: attempt.attempt } as const;
  const links = { ...common.links, instanceId: attempt.instanceId };
  const spans: TaskSpan[] = nodes.flatMap((node, index) =>
    node.startedAt === null
      ? []
      : {
          ...common,
          id: `${parentId}.${String(index + 1).padStart(4, '0')}`,
          name: node.title,
          start: node.startedAt,
          end: node.endedAt,
          state: nodeStates[node.state],
          links: { ...links, nodeId: node.node },
        },
  );
  const summary = (id: string, { name, start, end }: Pick<TaskSpan, 'name' | 'start' | 'end'>): TaskSpan => {
    const state = end === null ? 'running' : 'success';
    return { ...common, id: `${parentId}.${id}`, name, start, end, state, links };
  };
  const untimed = nodes.length - spans.length;
  if (untimed > 0) {
    const { acceptedAt, startedAt, endedAt: end } = attempt;
    spans.push(
      summary('untimed', {
        name: `${nodesText(untimed)} of unknown time`,
        start: acceptedAt ?? startedAt,
        end,
      }),
    );
  }
  if (folded?.startedAt) {
    const { count, startedAt: start, endedAt: end } = folded;
    spans.push(summary('folded', { name: `${nodesText(count)} more`, start, end }));
  }
  return spans;
}

function nodesText(count: number): string {
  return count === 1 ? '1 node' : `${count} nodes`;
}

function attemptId(taskId: string, attempt: number): string {
  return `${taskId}.${attempt}`;
}

function secondsBetween(start: string, end: string | null, nowMs: number): number {
  const endMs = end === null ? nowMs : Date.parse(end);
  return rounded(Math.max(0, endMs - Date.parse(start)) / 1000);
}

/** Rounds to milliseconds, the precision of stored times. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
