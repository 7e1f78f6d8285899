import type { RunSpan } from '@switchyard/contract/conversation/timeline';
import type { TaskSpan } from '@switchyard/contract/dispatch/timeline';
import type { TreeSpan } from './timeline-tree.ts';

export function treeSpanOfRun(span: RunSpan): TreeSpan {
  const { id, parent_id: parentId, kind, name, start, end, state, tokens, simulated } = span;
  const facts = [
    ...(tokens ? [`${tokens.total} tokens`] : []),
    ...(simulated ? ['simulated'] : []),
    ...workFacts(span.worker_seconds, kind),
    ...costFacts(span),
  ];
  return { id, parentId, kind, name, start, end, state, facts };
}

export function treeSpanOfTask(span: TaskSpan): TreeSpan {
  const { id, parentId, kind, name, start, end, state } = span;
  const facts = [...workFacts(span.workerSeconds, kind), ...costFacts(span)];
  return { id, parentId, kind, name, start, end, state, facts };
}

/** The seconds of an attempt are the length of its bar. */
function workFacts(seconds: number | null, kind: string): string[] {
  return seconds === null || kind !== 'task' ? [] : [`${seconds} worker s`];
}

function costFacts({ cost, currency }: { cost: number | null; currency: string | null }): string[] {
  return cost === null ? [] : [`${cost} ${currency ?? ''}`.trim()];
}
