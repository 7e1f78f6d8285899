import type { NewStoredFile } from '@switchyard/contract/dispatch/file';
import {
  type PreviewHeader,
  type PushTopic,
  type ServerFrameData,
  type ServerFrameType,
  topicOfFrame,
} from '@switchyard/contract/dispatch/push';
import { say } from '@switchyard/contract/sentences/sentences';
import type { DispatchEvent, NewFile, TaskPreview } from '../dispatch-events.ts';
import type { Links } from '../links.ts';
import { showPause } from '../queue/queue-control.ts';
import type { TaskRow } from '../tables.ts';
import { newTaskError, taskErrorOf } from '../tasks/task-messages.ts';
import { viewResult, viewTask } from '../tasks/task-view.ts';

/** A message to clients, serialized once for all of them. */
export interface PushFrame {
  topic: PushTopic;
  /** Null when every user may get it. */
  owner: string | null;
  taskId: string | null;
  /**
   * Frames with equal keys replace each other while they wait for a slow reader. Only frames without a key are kept for
   * clients that come back: the snapshot holds what the others would bring.
   */
  replaces: string | null;
  payload: string | Buffer;
}

export function encodeFrame<Name extends ServerFrameType>(
  type: Name,
  data: ServerFrameData<Name>,
  { timestamp, requestId, cursor }: { timestamp: number; requestId?: string | null; cursor?: string },
): string {
  return JSON.stringify({
    type,
    timestamp,
    data,
    ...(requestId && { requestId }),
    ...(cursor && { cursor }),
  });
}

interface FrameContext {
  timestamp: number;
  links: Links;
  /** The place of the frame, for frames that a client gets again when it comes back. */
  cursor: string;
}

/** The frame of an event; null for events that clients do not get. Progress and instances are throttled elsewhere. */
export function frameOf(event: DispatchEvent, { timestamp, links, cursor }: FrameContext): PushFrame | null {
  switch (event.type) {
    case 'task_created': {
      const { requestId } = event.task;
      const linkTo = (file: { fileId: string; filename: string }) => links.to(file);
      const data = { taskId: event.task.id, task: viewTask(event.task, { linkTo, position: null }) };
      return taskFrame(event.task, encodeFrame('task_created', data, { timestamp, cursor, requestId }));
    }
    case 'task_started': {
      const { id, instanceId, attempt, requestId } = event.task;
      const data = { taskId: id, instanceId: instanceId ?? '', attempt };
      return taskFrame(event.task, encodeFrame('task_started', data, { timestamp, cursor, requestId }));
    }
    case 'task_progress': {
      const { taskId, owner, requestId, progress } = event;
      const payload = encodeFrame('task_progress', { taskId, ...progress }, { timestamp, requestId });
      return { topic: 'progress', owner, taskId, replaces: `progress:${taskId}`, payload };
    }
    case 'task_stopping': {
      const { taskId, owner } = event;
      const payload = encodeFrame('task_stopping', { taskId }, { timestamp, cursor });
      return { topic: 'tasks', owner, taskId, replaces: null, payload };
    }
    case 'task_ended':
      return taskFrame(event.task, endFrame(event.task, { timestamp, links, cursor }));
    case 'task_preview':
      return {
        topic: 'previews',
        owner: event.owner,
        taskId: event.taskId,
        replaces: `preview:${event.taskId}`,
        payload: encodePreview(event.taskId, event.preview),
      };
    case 'instance_changed': {
      const { id, alive, busy } = event.instance;
      const data = { instanceId: id, alive, busy, instance: event.instance };
      const payload = encodeFrame('instance_status', data, { timestamp });
      return { topic: 'instances', owner: null, taskId: null, replaces: `instance:${id}`, payload };
    }
    case 'task_moved': {
      const { task, position } = event;
      return taskFrame(task, encodeFrame('task_moved', { taskId: task.id, position }, { timestamp, cursor }));
    }
    case 'queue_changed': {
      const { change, pause } = event;
      const payload = encodeFrame(
        'queue_changed',
        { change, pause: showPause(pause) },
        { timestamp, cursor },
      );
      const owner = pause.scope === 'user' ? pause.target : null;
      return { topic: 'global', owner, taskId: null, replaces: null, payload };
    }
    case 'files_created': {
      const files = event.files.map((file) => fileView(file, links));
      return ownFrame('files', event, encodeFrame('files_created', { files }, { timestamp, cursor }));
    }
    case 'files_deleted': {
      const { fileIds } = event;
      return ownFrame('files', event, encodeFrame('files_deleted', { fileIds }, { timestamp, cursor }));
    }
    case 'files_marked': {
      const { files } = event;
      return ownFrame('files', event, encodeFrame('files_marked', { files }, { timestamp, cursor }));
    }
    case 'collection_changed': {
      const { collectionId } = event;
      const payload = encodeFrame('collection_changed', { collectionId }, { timestamp, cursor });
      return ownFrame('files', event, payload);
    }
    case 'share_changed': {
      const { kind, subjectId } = event;
      const payload = encodeFrame('share_changed', { kind, subjectId }, { timestamp, cursor });
      return ownFrame('files', event, payload);
    }
    case 'sweep_changed': {
      const { sweepId } = event;
      return ownFrame('tasks', event, encodeFrame('sweep_changed', { sweepId }, { timestamp, cursor }));
    }
    case 'thread_news': {
      const { news } = event;
      const payload = encodeFrame(news.type, news.data, { timestamp, cursor });
      return ownFrame(topicOfFrame[news.type], event, payload);
    }
    case 'task_claimed':
    case 'tasks_changed':
    case 'task_execution':
    case 'task_requeued':
    case 'instance_removed':
    case 'instance_learned':
    case 'fleet_changed':
    case 'batch_finished':
    case 'settings_changed':
    case 'news_lost':
      return null;
  }
}

function ownFrame(topic: PushTopic, { owner }: Pick<PushFrame, 'owner'>, payload: string): PushFrame {
  return { topic, owner, taskId: null, replaces: null, payload };
}

function taskFrame(task: TaskRow, payload: string): PushFrame {
  return { topic: 'tasks', owner: task.owner, taskId: task.id, replaces: null, payload };
}

function endFrame(task: TaskRow, { timestamp, links, cursor }: FrameContext): string {
  const meta = { timestamp, cursor, requestId: task.requestId };
  const result = viewResult(task, (file) => links.to(file));
  if (task.status === 'completed' && result) {
    return encodeFrame('task_completed', { taskId: task.id, workflowId: task.workflowId, result }, meta);
  }
  const error = taskErrorOf(task) ?? newTaskError('internal_error', say('task_failed'));
  return encodeFrame('task_failed', { taskId: task.id, error, attempt: task.attempt }, meta);
}

function fileView({ id: fileId, filename, ...file }: NewFile, links: Links): NewStoredFile {
  const { size, contentType, sha256, source, taskId, width, height, createdAt } = file;
  const url = links.to({ fileId, filename });
  return { fileId, filename, url, size, contentType, sha256, source, taskId, width, height, createdAt };
}

/** The format is a u32 length, that many bytes of header as JSON, then the image. */
function encodePreview(taskId: string, { node, mediaType, bytes }: TaskPreview): Buffer {
  const header: PreviewHeader = node === undefined ? { taskId, mediaType } : { taskId, mediaType, node };
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, bytes]);
}
