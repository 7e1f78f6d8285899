/** An attempt of a task. */
export const attemptTexts = {
  task_error: '{error}: {cause}',
  cancelled: 'Cancelled.',
  cancelled_before_start: 'Cancelled before it started.',
  task_failed: 'The task failed.',
  gateway_failed: 'The gateway met an error of its own while it ran this task. Its log says which.',
  run_unknown: 'The worker does not know the run any more.',
  run_unsent:
    'The handing over of the task was interrupted. The worker, which has run on since, does not know it.',
  run_untraced:
    'The handing over of the task was interrupted, and the worker does not know it. Whether the worker was restarted meanwhile is not known.',
  never_handed_over:
    'The handing over of this task was interrupted {count} times, and no worker knows of it.',
  worker_restarted: 'The worker was restarted and does not know the run any more.',
  worker_gone: 'The worker refuses connections: its process is gone.',
  worker_gone_behind_proxy: 'A proxy in front of the worker says that it cannot reach it.',
  worker_away: 'The worker cannot be reached any more.',
  run_interrupted: 'Another client interrupted the execution on the worker.',
  run_failed_silently: 'The worker says that the run failed and does not say why.',
  error_unnamed: 'The worker reported an error without saying which.',
  run_silent: 'The worker answers, but has given no sign of the run for {seconds} s.',
  run_not_started: 'The worker answers, but took the run and has not started it for {seconds} s.',
  run_too_long: 'The run took longer than {seconds} s.',
  outputs_not_fetched: 'The outputs could not be fetched from the worker: {cause}',
  outputs_gone: 'The run went through, and nothing of what it made could be had any more.',
  input_not_handed: 'An input file could not be handed to the worker: {cause}',
  size_nowhere: 'No instance that could run the task takes its input or its workflow: {cause}',
  task_not_taken: 'The worker did not take the task: {cause}',
  file_nowhere:
    '{said}. No instance has this file: upload it and give the task { "$file": "<fileId>" } as the param.',
} as const;
