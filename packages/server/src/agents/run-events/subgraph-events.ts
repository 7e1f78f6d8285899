import { isRecord } from '@switchyard/contract/is-record';
import type { EventDraft } from './protocol-event.ts';

export type EndOfGraph = 'completed' | 'failed' | 'interrupted';

interface Subgraph {
  namespace: readonly string[];
  name: string;
}

/** Names of agents and calls of tools are kept for at most this many tasks of a run. */
const maxTasks = 1_000;

/** Finds out from the frames of a run which graphs inside it begin and end. */
export class SubgraphEvents {
  readonly #open = new Map<string, Subgraph>();
  readonly #seen = new Set<string>();
  /** The name of the agent that works in a namespace. */
  readonly #agents = new Map<string, string>();
  /** The call of a tool that a task answers, by the id of the task. */
  readonly #calls = new Map<string, string>();
  #hasTasks = false;

  /** Something happened in this namespace, so its graphs have begun. */
  reach(namespace: readonly string[]): EventDraft[] {
    const drafts: EventDraft[] = [];
    for (let length = 1; length <= namespace.length; length++) {
      const part = namespace.slice(0, length);
      const key = part.join('|');
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      const agent = this.#agents.get(key);
      const segment = part.at(-1) ?? '';
      const subgraph = { namespace: part, name: agent ?? segment.split(':', 1)[0] ?? segment };
      this.#open.set(key, subgraph);
      const call = agent === undefined ? undefined : this.#calls.get(segment.slice(segment.indexOf(':') + 1));
      const cause = call === undefined ? {} : { cause: { type: 'toolCall', tool_call_id: call } };
      drafts.push(lifecycle(subgraph, { event: 'started', ...cause }));
    }
    return drafts;
  }

  /** Takes a frame of the mode `tasks` before its namespace is reached: it says who works there. */
  learn(namespace: readonly string[], task: unknown): void {
    if (!isRecord(task)) return;
    this.#hasTasks = true;
    const agent = isRecord(task.metadata) ? task.metadata.lc_agent_name : undefined;
    if (typeof agent === 'string' && agent !== '') remember(this.#agents, namespace.join('|'), agent);
    const call = callIn(task.input);
    if (typeof task.id === 'string' && call !== undefined) remember(this.#calls, task.id, call);
  }

  /** A task whose result is known has ended, and with it the graph that it ran. */
  endTask(namespace: readonly string[], task: unknown): EventDraft[] {
    if (!isRecord(task) || !('result' in task)) return [];
    return this.#end([...namespace, `${task.name}:${task.id}`].join('|'), 'completed');
  }

  /** Without frames of tasks, what a node has written says that it has ended. */
  endNode(namespace: readonly string[], node: string): EventDraft[] {
    if (this.#hasTasks) return [];
    const key = [...namespace, `${node}:`].join('|');
    const found = [...this.#open.keys()].find(
      (each) => each.startsWith(key) && !each.slice(key.length).includes('|'),
    );
    return found === undefined ? [] : this.#end(found, 'completed');
  }

  endAll(how: EndOfGraph): EventDraft[] {
    const drafts = [...this.#open.keys()].flatMap((key) => this.#end(key, how));
    this.#seen.clear();
    return drafts;
  }

  #end(key: string, how: EndOfGraph): EventDraft[] {
    const subgraph = this.#open.get(key);
    if (!subgraph) return [];
    this.#open.delete(key);
    return [lifecycle(subgraph, { event: how })];
  }
}

function lifecycle({ namespace, name }: Subgraph, { event, ...rest }: { event: string }): EventDraft {
  return { method: 'lifecycle', namespace, data: JSON.stringify({ event, graph_name: name, ...rest }) };
}

/** A node of tools gets one call with its context, or a list of calls. */
function callIn(input: unknown): string | undefined {
  const calls = isRecord(input) && isRecord(input.tool_call) ? [input.tool_call] : input;
  const named = Array.isArray(calls)
    ? calls.find((call) => isRecord(call) && typeof call.id === 'string')
    : undefined;
  return isRecord(named) ? String(named.id) : undefined;
}

function remember(known: Map<string, string>, key: string, value: string): void {
  if (known.size < maxTasks && !known.has(key)) known.set(key, value);
}
