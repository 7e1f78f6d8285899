import type { RunRecord, SpanEndState, SpanMark } from '../run-contract/run-record.ts';
import { isObject } from './observed-messages.ts';

/** Tells the record of a run when its models and tools begin and end, and within which tool call. Keys are LangChain's ids. */
export class ObservedSpans {
  readonly #record: Pick<RunRecord, 'mark'>;
  readonly #parents = new Map<string, string>();
  readonly #tools = new Set<string>();

  constructor(record: Pick<RunRecord, 'mark'>) {
    this.#record = record;
  }

  /** A graph or a node begins. It has no span of its own; what it calls finds the tool call around it through it. */
  enter(id: string, parentId: string | undefined): void {
    if (parentId !== undefined) this.#parents.set(id, parentId);
  }

  leave(id: string): void {
    this.#parents.delete(id);
  }

  beginModel(id: string, { parentId, model }: { parentId: string | undefined; model: string | null }): void {
    const within = this.#toolAround(parentId);
    this.#record.mark({ type: 'begin', key: id, kind: 'model', name: model, within, toolCallId: null });
  }

  beginTool(
    id: string,
    { parentId, name, callId }: { parentId: string | undefined; name: string; callId: string | null },
  ): void {
    const within = this.#toolAround(parentId);
    this.#record.mark({ type: 'begin', key: id, kind: 'tool', name, within, toolCallId: callId });
    this.#tools.add(id);
  }

  end(
    id: string,
    state: SpanEndState,
    answer: Pick<SpanMark & { type: 'end' }, 'model' | 'usage'> = {},
  ): void {
    this.#tools.delete(id);
    this.#record.mark({ type: 'end', key: id, state, ...answer });
  }

  /** Some events of a tool show what it does. */
  note(id: string, event: string, facts: unknown): void {
    if (!this.#tools.has(id) || !isObject(facts)) return;
    const { subagent_type: name, task_id: taskId } = facts;
    if (event === 'task_started' && typeof name === 'string') {
      this.#record.mark({ type: 'subagent', key: id, name });
    }
    if (event === 'worker_task_submitted' && typeof taskId === 'string') {
      this.#record.mark({ type: 'task', key: id, taskId });
    }
  }

  #toolAround(id: string | undefined): string | null {
    for (let around = id; around !== undefined; around = this.#parents.get(around)) {
      if (this.#tools.has(around)) return around;
    }
    return null;
  }
}
