import { setTimeout as delay } from 'node:timers/promises';
import { dispatchCustomEvent } from '@langchain/core/callbacks/dispatch';
import { ToolMessage } from '@langchain/core/messages';
import type { ToolRunnableConfig } from '@langchain/core/tools';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import { isStoppedForGood, type RunHandle, requireRunHandle } from '../run-handle.ts';
import { askHuman } from './ask-human.ts';
import { ToolFailure } from './tool-failure.ts';
import {
  completedEvent,
  failedEvent,
  progressEvent,
  taskFile,
  type WorkerTaskEvent,
} from './worker-task-events.ts';
import type {
  CallOrigin,
  SavedWorkflowOrder,
  WorkflowOrder,
  WorkflowRunner,
  WorkflowUpdate,
} from './workflow-runner.ts';

interface PoolCall {
  toolName: string;
  args: Record<string, unknown>;
  orderOf: (origin: CallOrigin) => WorkflowOrder | SavedWorkflowOrder;
}

/** Submits one task for a tool call, tells its progress and answers with what it made. */
export async function runPoolTask(
  workflows: WorkflowRunner,
  { toolName, args, orderOf }: PoolCall,
  config: ToolRunnableConfig,
): Promise<string | ToolMessage> {
  const run = requireRunHandle(config);
  const { writer, signal } = config as LangGraphRunnableConfig;
  const toolCallId = toolCallIdOf(config);
  const { userId, threadId, runId } = run;
  const order = orderOf({
    userId,
    idempotencyKey: `${runId}:${toolCallId}`,
    threadId,
    runId,
    toolCallId,
  });
  const refusal =
    workflows.approvals && (await askHuman(workflows.approvals, { order, toolName, args }, config));
  if (refusal !== null) {
    return new ToolMessage({ content: refusal, name: toolName, tool_call_id: toolCallId, status: 'error' });
  }
  const call: Call = {
    run,
    toolCallId,
    emit: writer,
    note: (name, facts) => dispatchCustomEvent(name, facts, config),
    signal,
  };
  // After a crash the run comes back to this very call, and the key to the task that it has made already.
  await run.beforeActing();
  call.signal?.throwIfAborted();
  const { taskId } = await ('workflowId' in order ? workflows.saved.submit(order) : workflows.submit(order));
  await call.note('worker_task_submitted', { task_id: taskId, tool_call_id: toolCallId });
  return follow(workflows, taskId, call);
}

interface Call {
  run: RunHandle;
  toolCallId: string;
  emit: ((event: WorkerTaskEvent) => void) | undefined;
  /** Into the stored events of the run, where progress would only be in the way. */
  note: (name: string, facts: object) => Promise<void>;
  signal: AbortSignal | undefined;
}

async function follow(workflows: WorkflowRunner, taskId: string, call: Call): Promise<string> {
  const { run, signal = new AbortController().signal, toolCallId } = call;
  const emit = (event: WorkerTaskEvent) => call.emit?.(event);
  const tellEnd = async (event: WorkerTaskEvent): Promise<void> => {
    emit(event);
    await call.note(event.type, event);
  };
  const at = { taskId, toolCallId };
  try {
    const end = await lastUpdate(workflows.watch(run.userId, taskId, signal));
    if (end.type === 'completed') {
      await tellEnd(completedEvent(at, end.files));
      return answerOf(taskId, end);
    }
    await tellEnd(failedEvent(at, end));
    throw new ToolFailure(end.code, end.message);
  } catch (error) {
    if (isStoppedForGood(signal)) await workflows.cancel(run.userId, taskId).catch(() => {});
    throw error;
  }

  /** A watcher that fell behind is sent away; it comes back after a moment and is told how things stand. */
  async function lastUpdate(updates: AsyncIterable<WorkflowUpdate>): Promise<Ended> {
    let told = '';
    for await (const update of updates) {
      if (update.type !== 'progress') return update;
      const event = progressEvent(at, update);
      const text = JSON.stringify(event);
      if (text !== told) emit(event);
      told = text;
    }
    signal.throwIfAborted();
    await delay(comeBackAfterMs, undefined, { signal });
    return lastUpdate(workflows.watch(run.userId, taskId, signal));
  }
}

type Ended = Exclude<WorkflowUpdate, { type: 'progress' }>;

const comeBackAfterMs = 250;

function answerOf(taskId: string, { files, texts }: Extract<WorkflowUpdate, { type: 'completed' }>): string {
  return JSON.stringify({
    task_id: taskId,
    status: 'completed',
    files: files.map(taskFile),
    texts,
  });
}

function toolCallIdOf(config: { toolCall?: { id?: string }; toolCallId?: string }): string {
  const id = config.toolCallId ?? config.toolCall?.id;
  if (!id) throw new Error('The tool call has no id, so it could not be recognised after a restart.');
  return id;
}
