import { type Static, Type } from 'typebox';
import { isoTime, nullable, oneOf } from '../shapes.ts';
import { openRecord } from './thread.ts';

/** The subjects of the events of a run. A summary is announced twice: see `summarization`. */
export const runEventCategories = [
  'message',
  'trace',
  'lifecycle',
  'middleware',
  'middleware:summarize',
  'subagent',
  'workspace',
] as const;
export type RunEventCategory = (typeof runEventCategories)[number];

/** The fixed types. Besides them there are `middleware:<tag>` and the names of an agent's own events. */
export const runEventTypes = [
  'human_message',
  'ai_message',
  'ai_tool_call',
  'tool_result',
  'run_start',
  'run_end',
  'run_error',
  'llm_request',
  'llm_response',
  'llm_error',
  'tool_start',
  'tool_end',
  'tool_error',
  'summarization',
  'subagent.step',
  'workspace_changes',
] as const;

/** One thing that happened in a run, as it is stored. */
export const runEvent = Type.Object({
  thread_id: Type.String(),
  run_id: Type.String(),
  user_id: nullable(Type.String()),
  event_type: Type.String({
    description: `${runEventTypes.join(', ')}, middleware:<tag>, or the name of an agent's own event.`,
  }),
  category: oneOf(runEventCategories),
  content: Type.Unknown({ description: 'Text, or a JSON value: then metadata.content_is_dict is true.' }),
  metadata: openRecord({
    description:
      'Trace content that was too long is cut: content_truncated is true, original_byte_length says how long it was.',
  }),
  seq: Type.Integer({ description: 'Unique within the thread, ascending; there may be gaps.' }),
  created_at: isoTime,
});
export type RunEvent = Static<typeof runEvent>;
