import type { Json } from '../../lib/json.ts';
import { type MessageContent, messageText } from '../message-text.ts';
import type { NewRunEvent, ReportedUsage } from '../run-contract/run-record.ts';
import { type Message, recordOf } from './observed-messages.ts';

/** Longer texts and arguments of a step are cut: the whole result of a sub-agent is in the result of its tool call. */
const maxStepLength = 8_192;

interface Step {
  taskId: string;
  /** Counts the steps of one sub-agent from one. */
  index: number;
}

/** Returns the stored event for an answer of a sub-agent's model. */
export function answerStep(
  step: Step,
  { message, usage, model }: { message: Message; usage: ReportedUsage | null; model: string | null },
): NewRunEvent {
  const record = recordOf(message);
  const calls = Array.isArray(record.tool_calls) ? record.tool_calls : [];
  return stepEvent(step, {
    kind: 'ai',
    text: messageText(record.content as MessageContent),
    facts: { tool_calls: calls.map(shownCall) },
    metadata: { usage, ...(model !== null && { model_name: model }) },
  });
}

/** Returns the stored event for the result of a tool that a sub-agent has called. */
export function toolStep(
  step: Step,
  { name, callId, text, status }: { name: string; callId: string | null; text: string; status: string },
): NewRunEvent {
  return stepEvent(step, {
    kind: 'tool',
    text,
    facts: { tool_name: name },
    metadata: { tool_call_id: callId, status },
  });
}

function stepEvent(
  { taskId, index }: Step,
  given: { kind: 'ai' | 'tool'; text: string; facts: object; metadata: Record<string, unknown> },
): NewRunEvent {
  const { kind, text, facts, metadata } = given;
  return {
    event_type: 'subagent.step',
    category: 'subagent',
    content: {
      task_id: taskId,
      message_index: index,
      kind,
      text: text.slice(0, maxStepLength),
      truncated: text.length > maxStepLength,
      ...facts,
    },
    metadata: { task_id: taskId, message_index: index, ...metadata },
  };
}

/** Arguments that are too long become text, because a part of their JSON cannot be read. */
function shownCall(call: Json): Json {
  const { name = null, args = {} } = call as Record<string, Json>;
  const text = JSON.stringify(args);
  if (text.length <= maxStepLength) return { name, args };
  return { name, args: text.slice(0, maxStepLength), args_truncated: true };
}
