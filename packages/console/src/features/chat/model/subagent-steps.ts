import { textOf } from '@switchyard/client/conversation/message-list';
import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { isRecord } from '../../../lib/is-record.ts';
import type { LiveSubagent } from '../../../lib/live/run-subagents.ts';

export interface SubagentStep {
  index: number;
  text: string;
  /** Tools that the step called, or the tool whose result it is. */
  tools: string[];
}

/** The answers of a sub-agent's model as the stream has told them. */
export function liveSteps(subagent: LiveSubagent | null): SubagentStep[] {
  return [...(subagent?.steps ?? [])].map(([index, message]) => ({
    index,
    text: textOf(message),
    tools: (message.tool_calls ?? []).map(({ name }) => name),
  }));
}

/** The answers as the record has them; results of tools are left to the page of the run. */
export function storedSteps(events: readonly RunEvent[], callId: string): SubagentStep[] {
  return events.flatMap(({ content }) => {
    if (!isRecord(content) || content.task_id !== callId || content.kind !== 'ai') return [];
    const calls = Array.isArray(content.tool_calls) ? content.tool_calls : [];
    const tools = calls.flatMap((call: unknown) => (isRecord(call) ? String(call.name) : []));
    return { index: Number(content.message_index), text: String(content.text ?? ''), tools };
  });
}
