import type { RunRow } from './tables.ts';

/** The columns of `runs`, in the groups in which they are written and read. */

export const tokenColumns = [
  'total_input_tokens',
  'total_output_tokens',
  'total_tokens',
  'lead_agent_tokens',
  'subagent_tokens',
  'middleware_tokens',
  'unknown_tokens',
] as const satisfies (keyof RunRow)[];

export const countColumns = [
  'message_count',
  'first_human_message',
  'last_ai_message',
  'llm_call_count',
  'context_tokens',
  ...tokenColumns,
] as const satisfies (keyof RunRow)[];

/** The numbers that are counted while a run works, and written at its end. */
export const totalColumns = [
  ...countColumns,
  'token_usage_by_model',
  'model_name',
] as const satisfies (keyof RunRow)[];

export const endColumns = [
  'status',
  'error',
  'error_name',
  'stop_reason',
  'checkpoint_id',
  'updated_at',
  'ended_at',
  ...totalColumns,
] as const satisfies (keyof RunRow)[];
