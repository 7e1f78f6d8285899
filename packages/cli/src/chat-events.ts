import type { CustomEvent } from '@switchyard/contract/conversation/stream-frames';
import { plainText } from './plain-text.ts';
import type { TaskState } from './task-board.ts';

const maxText = 200;

/** The maximum length of what is shown from tools and agents: a line or two. */
export function cut(text: unknown): string {
  const line = plainText(typeof text === 'string' ? text : (JSON.stringify(text) ?? ''));
  return line.length > maxText ? `${line.slice(0, maxText)}…` : line;
}

/**
 * The arguments of a tool call: plain values whole, and a mark for a graph or another structure. `threads show` has all
 * of it.
 */
export function argumentsLine(args: unknown): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return cut(args);
  const shown = Object.entries(args).map(([name, value]) => `${name}=${valueMark(value)}`);
  return cut(shown.join(' '));
}

/** The result of a tool. A structure is shown in the same way as arguments. */
export function resultLine(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? argumentsLine(value) : cut(text);
  } catch {
    return cut(text);
  }
}

function valueMark(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : '[…]';
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0 ? '{}' : '{…}';
  return JSON.stringify(value) ?? '';
}

/** A user's own graph may write anything, also under the gateway's own event names: every field may be missing. */
type Heard = {
  [Type in CustomEvent['type']]: Partial<Extract<CustomEvent, { type: Type }>> & { type: Type };
}[CustomEvent['type']];

/** The progress of a task on the pool, when the event is about one. */
export function progressIn(data: unknown): TaskState | undefined {
  const event = eventIn(data);
  if (event?.type !== 'worker_task_progress') return undefined;
  const { task_id: id = '', progress = 0, node = null, instance = null } = event;
  const status = instance === null && progress === 0 ? 'pending' : 'running';
  return { id, status, progress, node, instanceId: instance };
}

/** A model broke off or did not answer, and the call is made again from the beginning. */
export function isModelRetry(data: unknown): boolean {
  return eventIn(data)?.type === 'llm_retry';
}

/** The lines for any other event. */
export function linesFor(data: unknown): string[] {
  const event = eventIn(data);
  switch (event?.type) {
    case 'worker_task_completed':
      return [
        `task ${cut(event.task_id)} completed`,
        ...(event.files ?? []).map(({ filename, file_id }) =>
          plainText(`  ${filename}  switchyard files download ${file_id}`),
        ),
      ];
    case 'worker_task_failed':
      return [`task ${cut(event.task_id)} failed: ${cut(event.error?.message)}`];
    case 'task_started':
      return [`sub-agent: ${cut(event.description)}`];
    case 'task_completed':
      return ['sub-agent: done'];
    case 'task_failed':
    case 'task_cancelled':
    case 'task_timed_out':
      return [`sub-agent ${endOf[event.type]}: ${cut(event.error)}`];
    case 'llm_retry':
      return [cut(event.message)];
    default:
      return [];
  }
}

const endOf = { task_failed: 'failed', task_cancelled: 'cancelled', task_timed_out: 'timed out' } as const;

function eventIn(data: unknown): Heard | undefined {
  return typeof data === 'object' && data !== null ? (data as Heard) : undefined;
}
