import type { TaskNode, UsualNodeTime } from '@switchyard/contract/dispatch/task-node';
import { usualTimes } from '../../../lib/usual-time.ts';

export type NodeState = TaskNode['state'] | 'waiting';

export interface NodeRow {
  node: string;
  title: string;
  state: NodeState;
  /** Null when the worker told no times. */
  ms: number | null;
  /** The time that it takes on such graphs; null when too few are known. */
  usualMs: number | null;
}

/** The nodes of the last attempt in the order of their start, then those of the graph that wait. */
export function nodeRows(
  nodes: readonly TaskNode[],
  graph: Readonly<Record<string, unknown>>,
  options: { nowMs: number; goesOn: boolean; usual: readonly UsualNodeTime[] },
): NodeRow[] {
  const attempt = Math.max(0, ...nodes.map(({ attempt: each }) => each));
  const begun = nodes.filter(({ attempt: each }) => each === attempt);
  const known = new Set(begun.map(({ node }) => node));
  const usual = usualTimes(options.usual);
  const rows = begun.map(({ node, title, state, startedAt, endedAt, cached }) => ({
    node,
    title,
    state,
    ms:
      startedAt === null || cached
        ? null
        : Math.max(0, (endedAt === null ? options.nowMs : Date.parse(endedAt)) - Date.parse(startedAt)),
    usualMs: usual.get(node) ?? null,
  }));
  if (!options.goesOn) return rows;
  const waiting = Object.entries(graph).filter(([node]) => !known.has(node));
  return [
    ...rows,
    ...waiting.map(([node, value]) => ({
      node,
      title: nodeTitle(node, value),
      state: 'waiting' as const,
      ms: null,
      usualMs: usual.get(node) ?? null,
    })),
  ];
}

/** The title of a node as people gave it, else its class. */
export function nodeTitle(node: string, value: unknown): string {
  const { class_type, _meta } = (value ?? {}) as { class_type?: unknown; _meta?: { title?: unknown } };
  if (typeof _meta?.title === 'string' && _meta.title) return _meta.title;
  return typeof class_type === 'string' ? class_type : node;
}
