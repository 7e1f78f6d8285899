import type { Json } from '../state/wire-values.ts';

/** What a run's stream tells of a sub-agent, as `custom` events. `task_id` is the id of the tool call that began it. */
export type SubagentEvent =
  | { type: 'task_started'; task_id: string; description: string }
  /** An answer of the sub-agent's model. Told once more, under the same index, where a run goes on after a crash. */
  | { type: 'task_running'; task_id: string; message: Json; message_index: number; total_messages: number }
  | { type: 'task_completed'; task_id: string; result: string }
  | { type: 'task_failed' | 'task_cancelled' | 'task_timed_out'; task_id: string; error: string };

/** What models and older clients are told; the latter know by these words how a sub-agent has ended. */
export const outcomeTexts = {
  completed: (result: string): string => `Task Succeeded. Result: ${result}`,
  failed: (error: string): string => `Task failed. Error: ${error}`,
  timedOut: (error: string): string => `Task timed out. Error: ${error}`,
};

/** In the metadata of what a sub-agent does, and of the stored events of it: the id of the tool call that began it. */
export const subagentTaskKey = 'subagent_task_id';
