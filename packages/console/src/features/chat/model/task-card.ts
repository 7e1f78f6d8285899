import type { Task, TaskError } from '@switchyard/contract/dispatch/task';
import { isRecord } from '@switchyard/contract/is-record';
import { filesIn, type ResultFile } from './tool-result.ts';
import type { ToolPart, ToolTask } from './turn.ts';

/** The content of the card of a task. */
export interface TaskCardView {
  taskId: string | null;
  name: string | null;
  phase: 'preparing' | 'waiting' | 'running' | 'stopping' | 'done' | 'failed' | 'cancelled';
  progress: number;
  node: string | null;
  instanceId: string | null;
  position: number | null;
  /** The reason why it waits. */
  waiting: { message: string; sentences: Task['waitingSentences'] } | null;
  eta: { from: string; to: string } | null;
  /** The number of places for pictures: those that it made, or is expected to make. */
  slots: number;
  files: ResultFile[];
  error: { code: string; message: string; sentences?: TaskError['sentences'] } | null;
  attempt: number;
}

/** A card shows so many places; the rest is a number. */
export const maxSlots = 8;

/** Joins the facts of the stream, the pool and the stored result. The pool counts most, the stream least. */
export function taskCardOf({ args, result, state, task: known }: ToolPart): TaskCardView {
  const task = known?.task ?? null;
  const live = known?.live ?? null;
  const files = outputsOf(task) ?? live?.files?.map(fileOf) ?? filesIn(result);
  const error = task?.error ?? live?.error ?? null;
  const phase = phaseOf({ task, state, isDone: live?.files != null, error });
  return {
    taskId: known?.taskId ?? null,
    name: task?.name ?? nameIn(args),
    phase,
    ...workOf({ task, live, phase }),
    ...outlookOf(task, phase),
    slots: files.length > 0 || !isOnPool(phase) ? files.length : expectedPictures(args),
    files,
    error,
  };
}

/** True until the task has ended. */
export function isOpenPhase(phase: TaskCardView['phase']): boolean {
  return phase === 'preparing' || isOnPool(phase);
}

function isOnPool(phase: TaskCardView['phase']): boolean {
  return phase === 'waiting' || phase === 'running' || phase === 'stopping';
}

interface Facts {
  task: Task | null;
  state: ToolPart['state'];
  isDone: boolean;
  error: TaskCardView['error'];
}

function phaseOf({ task, state, isDone, error }: Facts): TaskCardView['phase'] {
  if (error) return error.code === 'cancelled' ? 'cancelled' : 'failed';
  if (isDone || task?.status === 'completed') return 'done';
  if (task?.status === 'failed') return 'failed';
  if (task?.status === 'running') return task.cancelRequested ? 'stopping' : 'running';
  if (task?.status === 'pending') return 'waiting';
  if (state === 'done') return 'done';
  if (state === 'failed') return 'failed';
  return state === 'stopped' ? 'cancelled' : 'preparing';
}

/** Returns how far the task is, and where it runs. */
function workOf({ task, live, phase }: Pick<ToolTask, 'task' | 'live'> & Pick<TaskCardView, 'phase'>) {
  return {
    progress: phase === 'done' ? 100 : Math.max(task?.progress ?? 0, live?.progress ?? 0),
    node: isOnPool(phase) ? (task?.node ?? live?.node ?? null) : null,
    instanceId: task?.instanceId ?? live?.instanceId ?? null,
  };
}

/**
 * Returns the facts that only the pool knows: the place in the queue, the reason for waiting, the estimated end, and
 * the number of attempts.
 */
function outlookOf(task: Task | null, phase: TaskCardView['phase']) {
  return {
    position: task?.position ?? null,
    waiting: waitingOf(task),
    eta: isOnPool(phase) ? (task?.eta ?? null) : null,
    attempt: task?.attempt ?? 0,
  };
}

function waitingOf(task: Task | null): TaskCardView['waiting'] {
  if (!task || task.waiting === null) return null;
  return { message: task.waiting, sentences: task.waitingSentences };
}

function outputsOf(task: Task | null): ResultFile[] | null {
  return task?.result
    ? task.result.outputs.map(({ fileId, filename, contentType }) => ({ fileId, filename, contentType }))
    : null;
}

function fileOf(file: { file_id: string; filename: string; content_type: string }): ResultFile {
  return { fileId: file.file_id, filename: file.filename, contentType: file.content_type };
}

/** Returns the name that the model gave the task. */
function nameIn(args: unknown): string | null {
  return isRecord(args) && typeof args.name === 'string' ? args.name : null;
}

/** The largest batch in the graph; one when it has none. The card keeps its height when the pictures come. */
export function expectedPictures(args: unknown): number {
  if (!isRecord(args)) return 1;
  const graph = isRecord(args.workflow) ? Object.values(args.workflow) : [];
  const inputs = graph.map((node) => (isRecord(node) && isRecord(node.inputs) ? node.inputs : {}));
  const sizes = [...inputs, args].map(({ batch_size: size }) => (typeof size === 'number' ? size : 1));
  return Math.min(maxSlots, Math.max(1, ...sizes.filter(Number.isInteger)));
}
