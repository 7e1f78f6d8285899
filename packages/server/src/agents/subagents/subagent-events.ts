import type { Json } from '../../lib/json.ts';

/** `custom` events that a run's stream contains about a sub-agent. `task_id` is the id of the tool call that started it. */
export type SubagentEvent =
  | { type: 'task_started'; task_id: string; description: string }
  /** An answer of the sub-agent's model. It is sent again with the same index when a run continues after a crash. */
  | {
      type: 'task_running';
      task_id: string;
      message: Json;
      message_index: number;
      total_messages: number;
      /** All answers so far together; absent while the model has reported nothing. */
      usage?: SubagentUsage;
    }
  | { type: 'task_completed'; task_id: string; result: string }
  | { type: 'task_failed' | 'task_cancelled' | 'task_timed_out'; task_id: string; error: string };

export interface SubagentUsage {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
}

/** Texts for models and older clients; older clients recognise by these words how a sub-agent has ended. */
export const outcomeTexts = {
  completed: (result: string): string => `Task Succeeded. Result: ${result}`,
  failed: (error: string): string => `Task failed. Error: ${error}`,
  timedOut: (error: string): string => `Task timed out. Error: ${error}`,
};

/** Key in the metadata of a sub-agent's events and stored events; holds the id of the tool call that started it. */
export const subagentTaskKey = 'subagent_task_id';
