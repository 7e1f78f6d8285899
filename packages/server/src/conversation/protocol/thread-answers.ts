import type { ThreadState } from '@switchyard/contract/conversation/thread';
import type { RunRow } from '../tables.ts';

/** The ids of the questions that a state waits for. */
export function openQuestions({ tasks }: Pick<ThreadState, 'tasks'>): ReadonlySet<string> {
  const ids = tasks.flatMap(({ interrupts }) => interrupts.map(({ id }) => id));
  return new Set(ids.filter((id) => typeof id === 'string'));
}

/** The graph of a run, and the graphs in it that a state waits for. */
export function treeOf(run: RunRow | null, { tasks, next }: Pick<ThreadState, 'tasks' | 'next'>): object {
  const status = statusOf(run, next.length > 0);
  const children = tasks.flatMap(({ name, interrupts, checkpoint }) => {
    const namespace = checkpoint?.checkpoint_ns;
    if (typeof namespace !== 'string' || namespace === '') return [];
    return {
      namespace: namespace.split('|'),
      status: interrupts.length > 0 ? 'interrupted' : status,
      graph_name: name,
      children: [],
    };
  });
  return { namespace: [], status, graph_name: run?.graph_id ?? 'root', children };
}

export function stateAnswer(
  { values, checkpoint }: Pick<ThreadState, 'values' | 'checkpoint'>,
  keys: readonly string[] | undefined,
): Record<string, unknown> {
  const wanted = keys && new Set(keys);
  const entries = Object.entries(values ?? {}).filter(([key]) => !wanted || wanted.has(key));
  const id = checkpoint?.checkpoint_id;
  return {
    values: Object.fromEntries(entries),
    ...(id && { checkpoint: { id, ns: checkpoint?.checkpoint_ns ?? '' } }),
  };
}

function statusOf(run: RunRow | null, isPaused: boolean): string {
  switch (run?.status) {
    case undefined:
    case 'pending':
      return 'started';
    case 'running':
      return 'running';
    case 'success':
      return isPaused ? 'interrupted' : 'completed';
    case 'interrupted':
      return 'interrupted';
    default:
      return 'failed';
  }
}
