import { readTogether } from '../../platform/database/snapshot.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { OwnFiles } from '../files/own-files.ts';
import type { StoredFiles } from '../files/stored-files.ts';
import type { Matchmaker } from '../queue/matchmaker.ts';
import { AttemptStore } from '../tasks/attempt-store.ts';
import { TaskListStore } from '../tasks/task-list-store.ts';
import { TaskStore } from '../tasks/task-store.ts';
import { TaskFront } from './task-front.ts';
import { taskRoutes } from './task-routes.ts';
import { Tasks, type TasksOptions } from './tasks.ts';

type TaskParts = Pick<
  DispatchParts,
  'database' | 'events' | 'links' | 'others' | 'audit' | 'guard' | 'openStreams' | 'clock' | 'options'
> &
  Pick<
    TasksOptions,
    'lentFiles' | 'webhooks' | 'requireCapable' | 'doubtsAbout' | 'outlooks' | 'askToStop'
  > & {
    tasks: TaskStore;
    files: StoredFiles;
    ownFiles: OwnFiles;
    matchmaker: Matchmaker;
  };

export function createTasks(parts: TaskParts) {
  const { database, tasks: store, files, matchmaker: queue, others, options } = parts;
  const tasks = new Tasks({
    ...parts,
    store,
    lists: new TaskListStore(database),
    together: readTogether(database, (frozen) => ({
      tasks: new TaskStore(frozen),
      attempts: new AttemptStore(frozen),
    })),
    queue,
    fileNames: (owner, fileIds) => files.namesOnWorker(owner, fileIds),
    limits: options.limits,
    others: others === null ? 'none' : others.bus === null ? 'unheard' : 'heard',
  });
  const front = new TaskFront({ ...parts, store, queue });
  return { tasks, front, taskRoutes: taskRoutes({ ...parts, tasks, front }) };
}
