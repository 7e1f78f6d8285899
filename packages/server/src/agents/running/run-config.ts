import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { authEntries } from '../own-code/own-code.ts';
import type { AgentRunRequest } from '../run-contract/agent-run.ts';
import { type RunHandle, runHandleKey } from '../run-contract/run-handle.ts';
import { agentNameKey } from '../working-agent.ts';

export interface RunConfigParts {
  callbacks: BaseCallbackHandler[];
  signal: AbortSignal;
  handle: RunHandle;
  /** The run continues from its own checkpoints, so the checkpoint that it first began from is not given again. */
  isResumed: boolean;
}

/** The configuration that LangGraph gets beside the input. Fields that no one has set are left out, so the graph decides. */
export interface RunConfig {
  configurable: Record<string, unknown>;
  metadata: Record<string, unknown>;
  callbacks: BaseCallbackHandler[];
  signal: AbortSignal;
  runId: string;
  subgraphs: true;
  tags?: string[];
  recursionLimit?: number;
  context?: Record<string, unknown>;
  interruptBefore?: '*' | string[];
  interruptAfter?: '*' | string[];
  durability?: 'sync' | 'async' | 'exit';
}

export function runConfig(request: AgentRunRequest, parts: RunConfigParts): RunConfig {
  const { tags, recursion_limit: recursionLimit } = request.config;
  const { context, interruptBefore, interruptAfter, durability } = request;
  return {
    configurable: configurableOf(request, parts),
    metadata: metadataOf(request),
    callbacks: parts.callbacks,
    signal: parts.signal,
    runId: request.runId,
    subgraphs: true,
    ...(tags && { tags }),
    ...(recursionLimit !== undefined && { recursionLimit }),
    // Without a context, a graph may take its settings from `configurable`, as older graphs do.
    ...(Object.keys(context).length > 0 && { context }),
    ...(interruptBefore && { interruptBefore }),
    ...(interruptAfter && { interruptAfter }),
    ...(durability && { durability }),
  };
}

/** The server's own entries come last, so a client cannot name another thread, run or user. */
function configurableOf(
  { config, checkpoint, threadId, runId, userId, authUser, graphId, assistantId, agentName }: AgentRunRequest,
  { handle, isResumed }: RunConfigParts,
): Record<string, unknown> {
  const asked = {
    checkpoint_ns: '',
    ...withoutReserved(config.configurable ?? {}),
    ...present(checkpoint ?? {}),
  };
  const from = isResumed ? withoutCheckpoint(asked) : asked;
  return {
    ...from,
    thread_id: threadId,
    run_id: runId,
    user_id: userId,
    graph_id: graphId,
    assistant_id: assistantId,
    ...authEntries(userId, authUser),
    [runHandleKey]: handle,
    [agentNameKey]: agentName,
  };
}

/** Becomes part of every checkpoint and of every token's metadata, and names the run that they belong to. */
function metadataOf(request: AgentRunRequest): Record<string, unknown> {
  const own = Object.entries(request.metadata).filter(
    ([key]) => !isReserved(key) && !stampedMetadata.has(key),
  );
  return {
    ...Object.fromEntries(own),
    thread_id: request.threadId,
    run_id: request.runId,
    graph_id: request.graphId,
    assistant_id: request.assistantId,
    run_attempt: request.attempt,
  };
}

/** LangGraph's own keys in the same record. */
const stampedMetadata: ReadonlySet<string> = new Set([
  'checkpoint_id',
  'checkpoint_ns',
  'checkpoint_map',
  'task_id',
  'source',
  'step',
  'parents',
  'counters_since_delta_snapshot',
]);

function isReserved(key: string): boolean {
  return key.startsWith('__') || key.startsWith('langgraph_');
}

function withoutReserved(configurable: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(configurable).filter(([key]) => !isReserved(key)));
}

function withoutCheckpoint({
  checkpoint_id: _id,
  checkpoint_map: _map,
  ...rest
}: Record<string, unknown>): Record<string, unknown> {
  return { ...rest, checkpoint_ns: '' };
}

function present(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== null && value !== undefined),
  );
}
