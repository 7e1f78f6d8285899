import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import type { TimelineSpan } from '../../../kit/timeline/span.ts';

const modelTypes = new Set(['llm_request', 'llm_response', 'llm_error']);
/** The clock of an event and the clock of its span are read one after the other. */
const apartMs = 100;

/** The stored events that belong to a span: by its call or task, and for a model call by its time. */
export function eventsOf(span: TimelineSpan, events: readonly RunEvent[]): RunEvent[] {
  switch (span.kind) {
    case 'tool':
    case 'subagent':
      return events.filter(({ metadata, content }) =>
        [metadata.tool_call_id, callIn(content)].includes(span.toolCallId),
      );
    case 'task':
    case 'attempt':
      return events.filter(
        ({ metadata, event_type: type }) =>
          type.startsWith('worker_task_') && metadata.task_id === span.taskId,
      );
    case 'model':
      return events.filter((event) => modelTypes.has(event.event_type) && isDuring(event, span));
    case 'run':
      return events.filter(({ category }) => category === 'lifecycle');
    default:
      return [];
  }
}

function callIn(content: unknown): unknown {
  return typeof content === 'object' && content !== null && 'tool_call_id' in content
    ? content.tool_call_id
    : undefined;
}

function isDuring({ created_at }: RunEvent, { startMs, endMs }: TimelineSpan): boolean {
  const ms = Date.parse(created_at);
  return ms >= startMs - apartMs && ms <= (endMs ?? Number.POSITIVE_INFINITY) + apartMs;
}
