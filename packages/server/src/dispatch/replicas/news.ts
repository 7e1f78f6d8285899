import type { Instance } from '@switchyard/contract/dispatch/instance';
import type { ThreadNews } from '@switchyard/contract/dispatch/push';
import type { DispatchEvent, TaskProgress } from '../dispatch-events.ts';
import type { QueuePauseRow } from '../tables.ts';

export const newsTopic = 'dispatch.news';

/** An event as it crosses to other replicas: ids and small facts. The replica that hears it reads the rows. */
export type News =
  | { type: 'task_created' | 'task_claimed' | 'task_ended'; id: string }
  | { type: 'task_started'; id: string; createdAt: string }
  | { type: 'task_requeued'; id: string; delayMs: number }
  | { type: 'task_moved'; id: string; position: number | null }
  | { type: 'task_progress'; id: string; owner: string; requestId: string | null; progress: TaskProgress }
  | { type: 'instance_changed'; instance: Instance }
  | { type: 'instance_removed' | 'instance_learned' | 'batch_finished'; id: string }
  | { type: 'fleet_changed' | 'settings_changed' }
  | { type: 'queue_changed'; change: 'paused' | 'resumed'; pause: QueuePauseRow }
  | { type: 'files_created' | 'files_deleted'; owner: string; ids: string[] }
  | { type: 'thread_news'; owner: string; news: ThreadNews };

export interface NewsMessage {
  /** The replica that tells. */
  from: string;
  /** The token under which it was the dispatcher last; null when it never was. */
  token: number | null;
  /** Earlier news of this replica were not sent. */
  hasGap: boolean;
  news: News[];
}

/** Facts that only the dispatcher can know. From a replica that was the dispatcher before, they are out of date. */
export const factsOfDispatcher: readonly News['type'][] = ['task_progress', 'instance_changed'];

/** Returns null for an event that crosses in another way. */
export function newsOf(event: DispatchEvent): News | null {
  switch (event.type) {
    case 'task_created':
    case 'task_ended':
      return { type: event.type, id: event.task.id };
    case 'task_started':
      return { type: event.type, id: event.task.id, createdAt: event.task.createdAt };
    case 'task_claimed':
      return { type: event.type, id: event.taskId };
    case 'task_requeued':
      return { type: event.type, id: event.task.id, delayMs: event.delayMs };
    case 'task_moved':
      return { type: event.type, id: event.task.id, position: event.position };
    case 'task_progress': {
      const { taskId: id, owner, requestId, progress } = event;
      return { type: event.type, id, owner, requestId, progress };
    }
    case 'instance_removed':
    case 'instance_learned':
      return { type: event.type, id: event.instanceId };
    case 'batch_finished':
      return { type: event.type, id: event.batchId };
    case 'settings_changed':
      return { type: event.type };
    case 'files_created':
      return { type: event.type, owner: event.owner, ids: event.files.map(({ id }) => id) };
    case 'files_deleted':
      return { type: event.type, owner: event.owner, ids: event.fileIds };
    case 'task_preview':
      return null;
    default:
      return event;
  }
}
