import type { RunSpan, SpanState, spanKinds } from '@switchyard/contract/conversation/timeline';
import type { TaskSpan } from '@switchyard/contract/dispatch/timeline';

export type SpanKind = (typeof spanKinds)[number];

/** A piece of work with a beginning and an end, of a run or of a task alone. */
export interface TimelineSpan {
  id: string;
  parentId: string | null;
  kind: SpanKind;
  name: string | null;
  attempt: number | null;
  startMs: number;
  /** Null while it goes on. */
  endMs: number | null;
  state: SpanState;
  tokens: RunSpan['tokens'];
  cost: number | null;
  currency: string | null;
  simulated: boolean;
  workerSeconds: number | null;
  toolCallId: string | null;
  taskId: string | null;
  instanceName: string | null;
}

export function spanOfRun({ links, ...span }: RunSpan): TimelineSpan {
  return {
    id: span.id,
    parentId: span.parent_id,
    kind: span.kind,
    name: span.name,
    attempt: span.attempt,
    startMs: Date.parse(span.start),
    endMs: span.end === null ? null : Date.parse(span.end),
    state: span.state,
    tokens: span.tokens,
    cost: span.cost,
    currency: span.currency,
    simulated: span.simulated,
    workerSeconds: span.worker_seconds,
    toolCallId: links.tool_call_id,
    taskId: links.task_id,
    instanceName: links.instance_name,
  };
}

export function spanOfTask({ links, ...span }: TaskSpan): TimelineSpan {
  return {
    id: span.id,
    parentId: span.parentId,
    kind: span.kind,
    name: span.name,
    attempt: span.attempt,
    startMs: Date.parse(span.start),
    endMs: span.end === null ? null : Date.parse(span.end),
    state: span.state,
    tokens: null,
    cost: span.cost,
    currency: span.currency,
    simulated: false,
    workerSeconds: span.workerSeconds,
    toolCallId: null,
    taskId: links.taskId,
    instanceName: links.instanceName,
  };
}

/** Replaces spans by their id and keeps the order of the timeline: by start, then by id. */
export function mergedSpans(
  known: readonly TimelineSpan[],
  changed: readonly TimelineSpan[],
): readonly TimelineSpan[] {
  if (changed.length === 0) return known;
  const byId = new Map([...known, ...changed].map((span) => [span.id, span]));
  return [...byId.values()].sort(
    (one, other) => one.startMs - other.startMs || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0),
  );
}

/** The end of a span, or now while it goes on; never before its start. */
export function endOf({ startMs, endMs }: TimelineSpan, nowMs: number): number {
  return Math.max(startMs, endMs ?? nowMs);
}
