import { isRecord } from '@switchyard/contract/is-record';
import type { GraphChunk } from './stream-modes.ts';
import { graphOf, namespaceOf, type TaskMetadata } from './task-origins.ts';

/**
 * Knows in which task of its graph each tool works. LangGraph streams what tools do under the namespace of the graph. Clients of
 * the second protocol expect that of the task, by which they distinguish the tools of a sub-agent from those of the agent.
 */
export class ToolTasks {
  readonly #tasks = new Map<string, string>();

  /** Called for each tool that begins. */
  begin(callId: string | null, metadata: TaskMetadata): void {
    const task = namespaceOf(metadata);
    if (callId !== null && task !== '') this.#tasks.set(keyOf(graphOf(task), callId), task);
  }

  /** Returns a piece of the stream with the namespace of its task, if it is about a tool. */
  placed(chunk: GraphChunk): GraphChunk {
    const [namespace, mode, payload] = chunk;
    if (mode !== 'tools' || !isRecord(payload)) return chunk;
    const key = keyOf(namespace.join('|'), String(payload.toolCallId));
    const task = this.#tasks.get(key);
    if (task === undefined) return chunk;
    if (payload.event === 'on_tool_end' || payload.event === 'on_tool_error') this.#tasks.delete(key);
    return [task.split('|'), mode, payload];
  }
}

function keyOf(graph: string, callId: string): string {
  return `${graph} ${callId}`;
}
