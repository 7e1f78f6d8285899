import type { ExecutionEvent } from '../worker-client/worker-event.ts';

/** Spans beyond this many are folded into one summary. */
export const maxNodeSpans = 2_000;

/** `stopped`: the attempt ended while the node ran, without an error of the node. */
export type NodeState = 'running' | 'finished' | 'cached' | 'failed' | 'stopped';

/** One run of one node of the submitted graph. Its times are null when the worker named the node only afterwards. */
export interface NodeSpan {
  nodeId: string;
  startMs: number | null;
  endMs: number | null;
  state: NodeState;
}

/** The sum of the spans that did not fit. */
export interface FoldedNodes {
  count: number;
  cached: number;
  startMs: number | null;
  endMs: number | null;
}

export interface NodeSpans {
  spans: readonly NodeSpan[];
  folded: FoldedNodes | null;
}

/** Kept short, since one is written with each attempt: node, start, length, state. */
type StoredSpan = [string, number | null, number | null, number];

interface StoredNodes {
  fromMs: number;
  spans: StoredSpan[];
  folded?: FoldedNodes;
}

const states: readonly NodeState[] = ['running', 'finished', 'cached', 'failed', 'stopped'];

/**
 * When each node of one attempt began and ended, by the gateway's clock. A worker executes one node at a time, and a
 * node that expands into others counts as one. A node that is put off until its sources are ready has a span for each
 * start.
 */
export class NodeRecord {
  readonly #spans: NodeSpan[];
  readonly #known: Set<string>;
  #folded: FoldedNodes | null;
  #open: NodeSpan | null;
  #isNodeOfGraph: (nodeId: string) => boolean = () => false;

  /** `stored` is the record of an attempt that is resumed. */
  constructor(stored: string | null) {
    const { spans, folded } = readNodes(stored);
    this.#spans = [...spans];
    this.#known = new Set(spans.map(({ nodeId }) => nodeId));
    this.#folded = folded;
    this.#open = this.#spans.find(({ state }) => state === 'running') ?? null;
  }

  /** Workers may name nodes that the graph does not have; those are left out. */
  begin(isNodeOfGraph: (nodeId: string) => boolean): void {
    this.#isNodeOfGraph = isNodeOfGraph;
  }

  /** Returns true when the record has changed. */
  takeIn(event: ExecutionEvent, nowMs: number): boolean {
    switch (event.type) {
      case 'nodes_cached':
        return event.nodeIds.filter((nodeId) => this.#addMissed(nodeId, 'cached', nowMs)).length > 0;
      case 'node_started':
        return this.#start(event.topNodeId, nowMs);
      case 'node_finished':
        if (event.nodeId !== event.topNodeId || event.nodeId !== this.#open?.nodeId) return false;
        return this.#close('finished', nowMs);
      case 'run_ended':
        return this.#close(endStates[event.end], nowMs);
      default:
        return false;
    }
  }

  /**
   * Adds the nodes that the worker's history names and no event has brought: without times, since the history has none.
   */
  fill({ cached, finished }: { cached: readonly string[]; finished: readonly string[] }): void {
    for (const nodeId of cached) this.#addMissed(nodeId, 'cached', null);
    for (const nodeId of finished) this.#addMissed(nodeId, 'finished', null);
  }

  /** The attempt is over: a node that still runs was stopped with it. */
  end(nowMs: number): void {
    this.#close('stopped', nowMs);
  }

  /** The record as it is stored; null while there is nothing in it. */
  toJson(): string | null {
    if (this.#spans.length === 0) return null;
    const fromMs = this.#spans.find(({ startMs }) => startMs !== null)?.startMs ?? 0;
    const stored: StoredNodes = {
      fromMs,
      spans: this.#spans.map((span) => storedSpan(span, fromMs)),
      ...(this.#folded && { folded: this.#folded }),
    };
    return JSON.stringify(stored);
  }

  /** A worker names the running node again on each new socket. */
  #start(nodeId: string, nowMs: number): boolean {
    if (nodeId === this.#open?.nodeId || !this.#isNodeOfGraph(nodeId)) return false;
    this.#close('finished', nowMs);
    this.#open = { nodeId, startMs: nowMs, endMs: null, state: 'running' };
    this.#add(this.#open);
    return true;
  }

  #close(state: NodeState, nowMs: number): boolean {
    const open = this.#open;
    if (!open) return false;
    this.#open = null;
    // The clock may have been set back.
    open.endMs = Math.max(nowMs, open.startMs ?? nowMs);
    open.state = state;
    if (this.#folded && !this.#spans.includes(open)) this.#folded.endMs = open.endMs;
    return true;
  }

  #addMissed(nodeId: string, state: 'cached' | 'finished', atMs: number | null): boolean {
    if (this.#known.has(nodeId) || !this.#isNodeOfGraph(nodeId)) return false;
    this.#add({ nodeId, startMs: atMs, endMs: atMs, state });
    return true;
  }

  #add(span: NodeSpan): void {
    this.#known.add(span.nodeId);
    if (this.#spans.length < maxNodeSpans) this.#spans.push(span);
    else this.#fold(span);
  }

  #fold({ startMs, endMs, state }: NodeSpan): void {
    this.#folded ??= { count: 0, cached: 0, startMs, endMs };
    this.#folded.count += 1;
    if (state === 'cached') this.#folded.cached += 1;
    this.#folded.startMs ??= startMs;
    this.#folded.endMs = endMs ?? this.#folded.endMs;
  }
}

const endStates = { succeeded: 'finished', failed: 'failed', interrupted: 'stopped' } as const;

export function readNodes(stored: string | null): NodeSpans {
  if (stored === null) return { spans: [], folded: null };
  const { fromMs, spans, folded } = JSON.parse(stored) as StoredNodes;
  return {
    spans: spans.map(([nodeId, start, length, state]) => {
      const startMs = start === null ? null : fromMs + start;
      const endMs = startMs === null || length === null ? null : startMs + length;
      return { nodeId, startMs, endMs, state: states[state] ?? 'finished' };
    }),
    folded: folded ?? null,
  };
}

function storedSpan({ nodeId, startMs, endMs, state }: NodeSpan, fromMs: number): StoredSpan {
  const start = startMs === null ? null : startMs - fromMs;
  const length = startMs === null || endMs === null ? null : endMs - startMs;
  return [nodeId, start, length, states.indexOf(state)];
}
