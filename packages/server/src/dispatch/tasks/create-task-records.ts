import type { DispatchParts } from '../dispatch-parts.ts';
import { AttemptStore } from './attempt-store.ts';
import { NodeTimes } from './node-times.ts';
import { PromptListStore } from './prompt-list-store.ts';
import { PromptStore } from './prompt-store.ts';
import { TaskDurationStore } from './task-duration-store.ts';
import { TaskMarks } from './task-marks.ts';
import { TaskNodes } from './task-nodes.ts';
import { TaskStore } from './task-store.ts';

/** Makes the stores of tasks and their attempts. */
export function createTaskRecords({
  database,
  steadyClock,
  log,
}: Pick<DispatchParts, 'database' | 'steadyClock' | 'log'>) {
  const tasks = new TaskStore(database);
  const attempts = new AttemptStore(database);
  const durations = new TaskDurationStore(database);
  const times = new NodeTimes({ store: durations, steadyClock });
  const marks = new TaskMarks({
    store: attempts,
    onFault: (error) => log.warn({ err: error }, 'marks of running tasks could not be written'),
  });
  const prompts = new PromptStore(database);
  const promptLists = new PromptListStore(database);
  const taskNodes = new TaskNodes({ tasks, attempts, times });
  return { tasks, attempts, durations, times, marks, prompts, promptLists, taskNodes };
}
