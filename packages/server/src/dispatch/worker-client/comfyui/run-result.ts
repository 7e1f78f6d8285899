import { isRecord } from '../../../lib/is-record.ts';
import type { RunEnd, RunResult } from '../worker-client.ts';
import { WorkerCallError } from '../worker-client.ts';
import { OutputCollector } from './output-collector.ts';
import { readRunError } from './run-error.ts';
import { historyEntry } from './wire.ts';

/** A run as the worker's history keeps it. */
export function readHistoryEntry(entry: unknown, label: string): RunResult {
  if (!historyEntry.Check(entry)) {
    throw new WorkerCallError('bad_answer', `${label} keeps a history entry that makes no sense.`);
  }
  const messages = entry.status?.messages ?? [];
  const end = endOf(entry.status?.status_str ?? null, messages);
  const failure = messages.find(([event]) => event === 'execution_error');
  const collector = new OutputCollector();
  for (const [nodeId, outputs] of Object.entries(entry.outputs)) collector.add(nodeId, outputs);
  const { files, texts, rejected } = collector;
  const error = end === 'failed' ? readRunError(failure?.[1]) : null;
  return { end, error, files, texts, rejected, cachedNodes: cachedNodesOf(messages) };
}

/** A worker that keeps no status (an old one) has kept a run that went through. */
function endOf(status: string | null, messages: readonly (readonly [string, unknown])[]): RunEnd {
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
