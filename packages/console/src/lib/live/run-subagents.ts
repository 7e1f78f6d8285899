import type { CustomEvent, StreamedMessage } from '@switchyard/contract/conversation/stream-frames';

/** A sub-agent, as the stream of its run shows it. */
export interface LiveSubagent {
  description: string | null;
  state: 'running' | 'completed' | 'failed' | 'cancelled' | 'timed_out';
  /** The answers of its model, by their index. */
  steps: ReadonlyMap<number, StreamedMessage>;
  outcome: string | null;
}

const begun: LiveSubagent = { description: null, state: 'running', steps: new Map(), outcome: null };

/** Returns null when the event is not about a sub-agent. */
export function subagentAfter(
  subagents: ReadonlyMap<string, LiveSubagent>,
  event: CustomEvent,
): ReadonlyMap<string, LiveSubagent> | null {
  if (!('task_id' in event) || 'tool_call_id' in event) return null;
  const after = afterEvent(subagents.get(event.task_id) ?? begun, event);
  return after && new Map(subagents).set(event.task_id, after);
}

function afterEvent(before: LiveSubagent, event: CustomEvent): LiveSubagent | null {
  switch (event.type) {
    case 'task_started':
      return { ...before, description: event.description };
    case 'task_running': {
      const steps = new Map(before.steps).set(event.message_index, event.message as StreamedMessage);
      return { ...before, steps };
    }
    case 'task_completed':
      return { ...before, state: 'completed', outcome: textOf(event.result) };
    case 'task_failed':
      return { ...before, state: 'failed', outcome: event.error };
    case 'task_cancelled':
      return { ...before, state: 'cancelled', outcome: event.error };
    case 'task_timed_out':
      return { ...before, state: 'timed_out', outcome: event.error };
    default:
      return null;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
