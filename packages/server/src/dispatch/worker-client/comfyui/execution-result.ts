import { isRecord } from '@switchyard/contract/is-record';
import { say } from '@switchyard/contract/sentences/sentences';
import type { ExecutionEnd, ExecutionResult } from '../worker-client.ts';
import { WorkerCallError } from '../worker-client.ts';
import { readExecutionError } from './execution-error.ts';
import { OutputCollector } from './output-collector.ts';
import { historyEntry } from './wire.ts';

/** Reads an execution from the worker's history. */
export function readHistoryEntry(entry: unknown, label: string): ExecutionResult {
  if (!historyEntry.Check(entry)) {
    throw new WorkerCallError('bad_answer', say('history_unreadable', { address: label }));
  }
  const messages = entry.status?.messages ?? [];
  const end = endOf(entry.status?.status_str ?? null, messages);
  const failure = messages.find(([event]) => event === 'execution_error');
  const collector = new OutputCollector();
  for (const [nodeId, outputs] of Object.entries(entry.outputs)) collector.add(nodeId, outputs);
  const { files, texts, rejected } = collector;
  const error = end === 'failed' ? readExecutionError(failure?.[1]) : null;
  return { end, error, files, texts, rejected, cachedNodes: cachedNodesOf(messages) };
}

/** An old worker keeps no status; what it kept has succeeded. */
function endOf(status: string | null, messages: readonly (readonly [string, unknown])[]): ExecutionEnd {
  if (status !== 'error') return 'succeeded';
  const last = messages.findLast(
    ([event]) => event === 'execution_interrupted' || event === 'execution_error',
  );
  return last?.[0] === 'execution_interrupted' ? 'interrupted' : 'failed';
}

function cachedNodesOf(messages: readonly (readonly [string, unknown])[]): string[] {
  const data = messages.find(([event]) => event === 'execution_cached')?.[1];
  const nodes = isRecord(data) && Array.isArray(data.nodes) ? data.nodes : [];
  return nodes.filter((node): node is string => typeof node === 'string');
}
