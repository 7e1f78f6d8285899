import type { DispatchEvent, NodeEvent, TaskPreview } from '../../dispatch/dispatch-events.ts';
import type { PushFrame } from '../../dispatch/push/push-frames.ts';
import type { TaskPromptRow, TaskRow } from '../../dispatch/tables.ts';
import { taskErrorOf } from '../../dispatch/tasks/task-messages.ts';
import { outputsOf } from './prompt-outputs.ts';

/** A frame of ComfyUI with what the socket needs to know of it. */
export type PromptFrame = Pick<PushFrame, 'payload' | 'replaces'>;

type Address = Pick<TaskPromptRow, 'taskId' | 'promptId'>;

/** Returns the frames that show a client its prompt; previews depend on the client. */
export function framesOf(
  event: DispatchEvent,
  { taskId, promptId }: Address,
  timestamp: number,
): PromptFrame[] {
  switch (event.type) {
    case 'task_started':
      return [frame('execution_start', { prompt_id: promptId, timestamp })];
    case 'task_execution':
      return [frameOfNodes(event.event, { taskId, promptId }, timestamp)];
    case 'task_ended':
      return framesOfEnd(event.task, promptId, timestamp);
    default:
      return [];
  }
}

export function statusFrame(queueRemaining: number, sid?: string): PromptFrame {
  const status = { exec_info: { queue_remaining: queueRemaining } };
  return {
    ...frame('status', { status, ...(sid !== undefined && { sid }) }),
    replaces: sid === undefined ? 'status' : null,
  };
}

export function executingFrame(promptId: string, nodeId: string | null, displayNode = nodeId): PromptFrame {
  const node = nodeId === null ? { node: null } : { node: nodeId, display_node: displayNode };
  return frame('executing', { ...node, prompt_id: promptId });
}

export function frame(type: string, data: Record<string, unknown>): PromptFrame {
  return { payload: JSON.stringify({ type, data }), replaces: null };
}

/** Returns what a client may count on. Without assets, the page of ComfyUI takes its pictures from the history. */
export function featuresOf(uploadBytes: number): Record<string, unknown> {
  return { supports_preview_metadata: true, max_upload_size: uploadBytes, assets: false };
}

const imageFormats: Record<string, number> = { 'image/jpeg': 1, 'image/png': 2 };

/** `withMetadata`: the client reads type 4, which names the node. A picture of another type has no number and is dropped. */
export function previewFrame(
  { mediaType, node, bytes }: TaskPreview,
  { taskId, promptId }: Address,
  withMetadata: boolean,
): PromptFrame | null {
  const format = imageFormats[mediaType];
  const replaces = `preview:${taskId}`;
  if (withMetadata) {
    const metadata = {
      image_type: mediaType,
      prompt_id: promptId,
      ...(node !== undefined && {
        node_id: node,
        display_node_id: node,
        parent_node_id: null,
        real_node_id: node,
      }),
    };
    const text = Buffer.from(JSON.stringify(metadata));
    return { payload: Buffer.concat([uint32(4), uint32(text.length), text, bytes]), replaces };
  }
  if (format === undefined) return null;
  return { payload: Buffer.concat([uint32(1), uint32(format), bytes]), replaces };
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function frameOfNodes(event: NodeEvent, { taskId, promptId }: Address, timestamp: number): PromptFrame {
  switch (event.type) {
    case 'nodes_cached':
      return frame('execution_cached', { nodes: event.nodeIds, prompt_id: promptId, timestamp });
    case 'node_started':
      return executingFrame(promptId, event.nodeId, event.topNodeId);
    case 'node_progress': {
      const { nodeId: node, value, max } = event;
      const data = { value, max, prompt_id: promptId, node };
      return { ...frame('progress', data), replaces: `progress:${taskId}:${node}` };
    }
    case 'progress_snapshot': {
      const nodes = event.nodes.map(({ nodeId, topNodeId, value, max, isFinished }) => [
        nodeId,
        {
          value,
          max,
          state: isFinished ? 'finished' : 'running',
          node_id: nodeId,
          prompt_id: promptId,
          display_node_id: topNodeId,
          parent_node_id: null,
          real_node_id: nodeId,
        },
      ]);
      const data = { prompt_id: promptId, nodes: Object.fromEntries(nodes) };
      return { ...frame('progress_state', data), replaces: `progress_state:${taskId}` };
    }
  }
}

/**
 * The outputs are told at the end, when the gateway has them: a client that hears of a file asks for it at once. The last frame is
 * the one without a node, and the history has the prompt by then.
 */
function framesOfEnd(task: TaskRow, promptId: string, timestamp: number): PromptFrame[] {
  const settled = executingFrame(promptId, null);
  const outputs = Object.entries(outputsOf(task));
  const executed = outputs.map(([node, output]) =>
    frame('executed', { node, display_node: node, output, prompt_id: promptId }),
  );
  if (task.status === 'completed')
    return [...executed, frame('execution_success', { prompt_id: promptId, timestamp }), settled];
  const [type, data] = promptFailure(task, promptId, timestamp);
  return [frame(type, data), settled];
}

/** Returns how a prompt failed, as ComfyUI shows it in a frame and in the history. */
export function promptFailure(
  task: Pick<TaskRow, 'error'>,
  promptId: string,
  timestamp: number,
): [type: string, data: Record<string, unknown>] {
  const error = taskErrorOf(task);
  const node = { node_id: error?.node ?? null, node_type: error?.nodeTitle ?? null, executed: [] };
  if (error?.code === 'cancelled')
    return ['execution_interrupted', { prompt_id: promptId, timestamp, ...node }];
  const failure = {
    exception_type: error?.code ?? 'internal_error',
    exception_message: error?.message ?? '',
    traceback: [],
    current_inputs: {},
    current_outputs: [],
  };
  return ['execution_error', { prompt_id: promptId, timestamp, ...node, ...failure }];
}
