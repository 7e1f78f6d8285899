import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { endOf, type TimelineSpan } from '../../../kit/timeline/span.ts';
import { type SpanTree, spanTree } from '../../../kit/timeline/tree-rows.ts';
import { filesIn, messageIn, stepTextIn, textIn } from './stored-content.ts';

/** A file that a task has made. */
export interface TrackFile {
  fileId: string;
  filename: string;
  contentType: string;
  atMs: number;
}

export interface TrackNode {
  name: string | null;
  startMs: number;
  endMs: number | null;
}

/** An attempt of a task on a worker. */
export interface TrackAttempt {
  instanceName: string | null;
  startMs: number;
  endMs: number | null;
  nodes: readonly TrackNode[];
}

export interface TrackTask {
  taskId: string;
  name: string | null;
  startMs: number;
  endMs: number | null;
  /** How it ended; of no meaning before its end. */
  outcome: 'done' | 'failed' | 'cancelled';
  error: string | null;
  attempts: readonly TrackAttempt[];
  files: readonly TrackFile[];
}

export interface TrackMessage {
  type: 'human' | 'ai';
  id: string;
  atMs: number;
  text: string;
  simulated: boolean;
}

export interface TrackCall {
  type: 'call';
  id: string;
  name: string;
  args: unknown;
  atMs: number;
  startMs: number | null;
  endMs: number | null;
  isError: boolean;
  result: { atMs: number; text: string } | null;
  /** The messages of a sub-agent during the call. */
  steps: readonly { atMs: number; text: string }[];
  tasks: readonly TrackTask[];
}

export type TrackItem = TrackMessage | TrackCall;

/** Everything that a replay shows, each with its moments. */
export interface ReplayTrack {
  fromMs: number;
  toMs: number;
  items: readonly TrackItem[];
  /** When a model was at work. */
  modelCalls: readonly { startMs: number; endMs: number | null }[];
  end: { atMs: number; status: string; error: string | null } | null;
}

/** The events that a replay reads. Requests to models are left out: they are large, and the timeline has their times. */
export const replayEventTypes = [
  'human_message',
  'ai_message',
  'ai_tool_call',
  'tool_result',
  'tool_start',
  'tool_end',
  'tool_error',
  'run_start',
  'run_end',
  'run_error',
  'worker_task_submitted',
  'worker_task_completed',
  'worker_task_failed',
  'subagent.step',
] as const;

type Call = { -readonly [Key in keyof TrackCall]: TrackCall[Key] } & {
  steps: { atMs: number; text: string }[];
  tasks: TrackTask[];
};

/** Made of what is stored alone: nothing is invented, and nothing is executed. */
export function replayTrack(events: readonly RunEvent[], spans: readonly TimelineSpan[]): ReplayTrack {
  const ordered = [...events].sort((one, other) => one.seq - other.seq);
  const items = new Map<string, TrackMessage | Call>();
  const taskEvents = new Map<string, RunEvent[]>();
  let end: ReplayTrack['end'] = null;
  for (const event of ordered) {
    const atMs = Date.parse(event.created_at);
    if (event.event_type === 'run_end' || event.event_type === 'run_error') {
      end = { atMs, status: textIn(event.metadata, 'status') ?? 'error', error: errorOf(event) };
    } else if (event.event_type.startsWith('worker_task_')) {
      const taskId = textIn(event.metadata, 'task_id');
      if (taskId !== null) taskEvents.set(taskId, [...(taskEvents.get(taskId) ?? []), event]);
    } else if (event.category === 'message') addMessage(items, event, atMs);
    else moveCall(items, event, atMs);
  }
  addTasks(items, { spans, taskEvents });
  return {
    ...wholeOf(spans, { ordered, end }),
    items: [...items.values()],
    modelCalls: spans
      .filter(({ kind }) => kind === 'model')
      .map(({ startMs, endMs }) => ({ startMs, endMs })),
    end,
  };
}

/** Summaries, sub-agents and other middleware speak to the model, not to the person. */
function addMessage(items: Map<string, TrackMessage | Call>, event: RunEvent, atMs: number): void {
  const caller = textIn(event.metadata, 'caller');
  if (caller !== null && caller !== 'lead_agent') return;
  const message = messageIn(event);
  if (event.event_type === 'tool_result') {
    const call = message.toolCallId === null ? undefined : items.get(message.toolCallId);
    if (call?.type !== 'call') return;
    call.result = { atMs, text: message.text };
    call.endMs ??= atMs;
    call.isError ||= message.isError;
    return;
  }
  if (message.text !== '') {
    const type = event.event_type === 'human_message' ? 'human' : 'ai';
    const id = message.id ?? `event ${event.seq}`;
    items.set(id, { type, id, atMs, text: message.text, simulated: message.simulated });
  }
  for (const { id, name, args } of message.toolCalls) {
    // After a crash the same call is stored again.
    if (items.has(id)) continue;
    items.set(id, {
      type: 'call',
      id,
      name,
      args,
      atMs,
      startMs: null,
      endMs: null,
      isError: false,
      result: null,
      steps: [],
      tasks: [],
    });
  }
}

function moveCall(items: Map<string, TrackMessage | Call>, event: RunEvent, atMs: number): void {
  const isStep = event.event_type === 'subagent.step';
  const call = items.get(textIn(event.metadata, isStep ? 'task_id' : 'tool_call_id') ?? '');
  if (call?.type !== 'call') return;
  if (isStep) {
    const text = stepTextIn(event);
    if (text !== '') call.steps.push({ atMs, text });
  } else if (event.event_type === 'tool_start') call.startMs ??= atMs;
  else if (event.event_type === 'tool_end' || event.event_type === 'tool_error') {
    call.endMs = atMs;
    call.isError ||= event.event_type === 'tool_error' || textIn(event.metadata, 'status') === 'error';
  }
}

function addTasks(
  items: ReadonlyMap<string, TrackMessage | Call>,
  { spans, taskEvents }: { spans: readonly TimelineSpan[]; taskEvents: ReadonlyMap<string, RunEvent[]> },
): void {
  const { childrenOf } = spanTree(spans);
  for (const span of spans) {
    if (span.kind !== 'task' || span.taskId === null) continue;
    const events = taskEvents.get(span.taskId) ?? [];
    const callId = span.toolCallId ?? textIn(events[0]?.metadata, 'tool_call_id');
    const call = items.get(callId ?? '');
    if (call?.type === 'call') call.tasks.push(taskOf(span, { events, childrenOf }));
  }
}

function taskOf(
  span: TimelineSpan,
  { events, childrenOf }: { events: readonly RunEvent[]; childrenOf: SpanTree['childrenOf'] },
): TrackTask {
  const failed = events.find(({ event_type: type }) => type === 'worker_task_failed');
  const attempts = (childrenOf.get(span.id) ?? []).filter(({ kind }) => kind === 'attempt');
  return {
    taskId: span.taskId ?? span.id,
    name: span.name,
    startMs: span.startMs,
    endMs: span.endMs,
    outcome: span.state === 'success' ? 'done' : span.state === 'cancelled' ? 'cancelled' : 'failed',
    error: failed ? errorOf(failed) : null,
    attempts: attempts.map(({ id, name, startMs, endMs }) => ({
      instanceName: name,
      startMs,
      endMs,
      nodes: (childrenOf.get(id) ?? []).map((node) => ({
        name: node.name,
        startMs: node.startMs,
        endMs: node.endMs,
      })),
    })),
    files: events
      .filter(({ event_type: type }) => type === 'worker_task_completed')
      .flatMap((event) => filesIn(event).map((file) => ({ ...file, atMs: Date.parse(event.created_at) }))),
  };
}

function errorOf({ metadata, content }: RunEvent): string | null {
  const { error } = metadata;
  if (typeof error === 'object' && error !== null) return textIn(error, 'message');
  if (typeof error === 'string') return error;
  return typeof content === 'string' && content !== '' ? content : textIn(metadata, 'message');
}

function wholeOf(
  spans: readonly TimelineSpan[],
  { ordered, end }: { ordered: readonly RunEvent[]; end: ReplayTrack['end'] },
): { fromMs: number; toMs: number } {
  const times = [
    ...ordered.map(({ created_at }) => Date.parse(created_at)),
    ...spans.flatMap((span) => [span.startMs, endOf(span, span.startMs)]),
    ...(end ? [end.atMs] : []),
  ];
  if (times.length === 0) return { fromMs: 0, toMs: 0 };
  return times.reduce(
    (whole, ms) => ({ fromMs: Math.min(whole.fromMs, ms), toMs: Math.max(whole.toMs, ms) }),
    { fromMs: Number.POSITIVE_INFINITY, toMs: Number.NEGATIVE_INFINITY },
  );
}
