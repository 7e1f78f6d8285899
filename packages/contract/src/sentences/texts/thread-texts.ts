/** A thread, its runs and its answers: why one of them cannot be changed now. */
export const threadTexts = {
  thread_assistant_gone:
    "The assistant of this thread, '{assistant}', does not exist any more. Name another one (assistant_id).",
  thread_run_active: 'Thread {threadId} already has an active run',
  thread_state_busy: 'Thread has a run in flight. Update state after the run finishes.',
  thread_changed: 'The thread has changed meanwhile. Try again.',
  run_ended: 'Run {runId} is not cancellable (status: {runStatus})',
  answer_not_visible: 'Only visible assistant messages can be regenerated',
  answer_not_latest: 'Only the latest assistant message can be regenerated',
  answer_without_question: 'Could not find the user message for this assistant response',
  answer_without_run: 'Could not find source run for assistant message',
  answer_without_checkpoint: 'Could not find an addressable checkpoint before the target user message',
  edit_under_goal: 'Cannot edit while a goal is active',
  edit_not_latest: 'Only the latest completed user turn can be edited',
  edit_with_tools: 'Only completed assistant text turns can be edited',
  edit_not_successful: 'Only successful assistant runs can be edited and rerun',
  edit_empty: 'Edited message cannot be empty',
  edit_unchanged: 'Edited message is unchanged',
  branch_of_aside: 'Branching is only available in the main conversation.',
} as const;
