import { setTimeout as delay } from 'node:timers/promises';
import { dispatchCustomEvent } from '@langchain/core/callbacks/dispatch';
import { ToolMessage } from '@langchain/core/messages';
import type { ToolRunnableConfig } from '@langchain/core/tools';
import { Command, type LangGraphRunnableConfig } from '@langchain/langgraph';
import { once } from '../../lib/once.ts';
import { callKeyOf, isStoppedForGood, type RunHandle, requireRunHandle } from '../run-contract/run-handle.ts';
import { askHuman } from './ask-human.ts';
import { toolCallIdOf } from './tool-call-id.ts';
import { ToolFailure } from './tool-failure.ts';
import {
  completedEvent,
  failedEvent,
  progressEvent,
  taskFile,
  type WorkerTaskEvent,
} from './worker-task-events.ts';
import type { InputFiles } from './workflow-inputs.ts';
import { putIntoThread, type ThreadOutput } from './workflow-outputs.ts';
import type {
  CallOrigin,
  OrderedParams,
  SavedWorkflowOrder,
  WorkflowFile,
  WorkflowOrder,
  WorkflowRunner,
  WorkflowUpdate,
} from './workflow-runner.ts';
import type { Workspace } from './workspace.ts';

/** The parts that tools need to run workflows. */
export interface PoolTools {
  workflows: WorkflowRunner;
  /** The files that inputs come from and outputs go to; null when threads have no files. */
  workspace: Workspace | null;
}

interface PoolCall {
  toolName: string;
  /** The arguments as the model wrote them. */
  args: Record<string, unknown>;
  params: Record<string, unknown>;
  /** Returns the params with files of the pool in place of paths of the thread. */
  withFiles: (files: InputFiles) => Promise<Record<string, unknown>>;
  orderOf: (origin: CallOrigin & OrderedParams) => WorkflowOrder | SavedWorkflowOrder;
}

/** Submits one task for a tool call, reports its progress and returns what it made. */
export async function runPoolTask(
  { workflows, workspace }: PoolTools,
  { toolName, args, params, withFiles, orderOf }: PoolCall,
  config: ToolRunnableConfig,
): Promise<ToolMessage | Command> {
  const run = requireRunHandle(config);
  const { writer, signal = new AbortController().signal } = config as LangGraphRunnableConfig;
  const toolCallId = toolCallIdOf(config);
  const { userId, threadId, runId, agent } = run;
  const files = { pool: workflows.files, workspace, whose: { userId, threadId, runId }, signal };
  const order = orderOf({
    userId,
    idempotencyKey: callKeyOf(run, toolCallId),
    threadId,
    runId,
    toolCallId,
    agent,
    params,
    paramsToSubmit: once(() => withFiles(files)),
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
  // After a crash the run comes back to this very call, and the same key finds the task that was already submitted.
  await run.beforeActing();
  signal.throwIfAborted();
  const { taskId } = await ('workflowId' in order ? workflows.saved.submit(order) : workflows.submit(order));
  const { outputs, texts } = await follow(workflows, taskId, {
    ...call,
    keep: (made) => putIntoThread({ taskId, files: made }, files),
  });
  const content = JSON.stringify({
    task_id: taskId,
    status: 'completed',
    files: outputs.map(fileForModel),
    texts,
  });
  const message = new ToolMessage({ content, name: toolName, tool_call_id: toolCallId, status: 'success' });
  const artifacts = outputs.flatMap(({ virtualPath }) => virtualPath ?? []);
  return artifacts.length === 0 ? message : new Command({ update: { artifacts, messages: [message] } });
}

interface Call {
  run: RunHandle;
  toolCallId: string;
  emit: ((event: WorkerTaskEvent) => void) | undefined;
  /** Adds an event to the stored events of the run. Progress is not stored. */
  note: (name: string, facts: object) => Promise<void>;
  signal: AbortSignal;
}

async function follow(
  workflows: WorkflowRunner,
  taskId: string,
  call: Call & { keep: (files: WorkflowFile[]) => Promise<ThreadOutput[]> },
): Promise<{ outputs: ThreadOutput[]; texts: string[] }> {
  const { run, signal, toolCallId } = call;
  const emit = (event: WorkerTaskEvent) => call.emit?.(event);
  const tellEnd = async (event: WorkerTaskEvent): Promise<void> => {
    emit(event);
    await call.note(event.type, event);
  };
  const at = { taskId, toolCallId };
  try {
    await call.note('worker_task_submitted', { task_id: taskId, tool_call_id: toolCallId });
    const end = await lastUpdate(workflows.watch(run.userId, taskId, signal));
    if (end.type === 'completed') {
      const outputs = await call.keep(end.files);
      await tellEnd(completedEvent(at, outputs));
      return { outputs, texts: end.texts };
    }
    await tellEnd(failedEvent(at, end));
    throw new ToolFailure(end.code, end.message);
  } catch (error) {
    if (isStoppedForGood(signal)) await workflows.cancel(run.userId, taskId).catch(() => {});
    throw error;
  }

  /** A watcher that falls behind is disconnected. It comes back after a moment and gets the current state. */
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

function fileForModel(output: ThreadOutput): object {
  const { problem } = output;
  return problem === null ? taskFile(output) : { ...taskFile(output), problem };
}
