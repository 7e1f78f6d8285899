import { isRecord } from '@switchyard/contract/is-record';
import { MessageEvents } from './message-events.ts';
import {
  type EventDraft,
  type EventMethod,
  eventMethods,
  type ProtocolEvent,
  seqOf,
} from './protocol-event.ts';
import { type EndOfGraph, SubgraphEvents } from './subgraph-events.ts';

/** The name of a frame that holds an event as it is, and what is in such a frame. */
export const frameOfMadeEvent = 'event';
export interface MadeEvent {
  method: string;
  node?: string | undefined;
  data: unknown;
}

/** The end of a run, for readers of the protocol. */
export interface EndOfRun {
  status: 'success' | 'interrupted' | 'error' | 'timeout';
  error: string | null;
  atMs: number;
}

/**
 * Turns the frames of one run, in their order, into events of LangGraph's second protocol. What it makes depends on the frames
 * alone, so each reader gets the same events under the same ids, whenever it comes.
 */
export class RunEvents {
  readonly #options;
  readonly #messages = new MessageEvents();
  readonly #subgraphs = new SubgraphEvents();
  /** The ids of the questions that readers have got. */
  readonly #asked = new Set<string>();
  #waits = false;
  #lastId = 0;

  constructor(options: {
    runId: string;
    graphName: string;
    admission: number;
    /** Other events are not made. */
    methods: ReadonlySet<EventMethod>;
  }) {
    this.#options = options;
  }

  /** `data` is JSON text. */
  add(frame: { id: number; event: string; atMs: number }, data: string): ProtocolEvent[] {
    this.#lastId = frame.id;
    const [name = '', ...namespace] = frame.event.split('|');
    return this.#numbered(this.#draftsOf(name, namespace, data), frame);
  }

  /** Frames before this one are gone. `values` is the state of the thread as it is stored now. */
  skip({ upTo, values, atMs }: { upTo: number; values: string; atMs: number }): ProtocolEvent[] {
    this.#lastId = upTo;
    const drafts = [...this.#running(), ...this.#values([], values)];
    this.#messages.joinMidway();
    return this.#numbered(drafts, { id: upTo, atMs });
  }

  end({ status, error, atMs }: EndOfRun): ProtocolEvent[] {
    const how = endOf(status, this.#waits);
    const failure = status === 'success' ? null : (error ?? 'The run was stopped.');
    const drafts = [...this.#messages.endRun(failure), ...this.#subgraphs.endAll(how)];
    const about = {
      event: how,
      graph_name: this.#options.graphName,
      ...(how === 'failed' && { error: failure }),
    };
    drafts.push({ method: 'lifecycle', namespace: [], data: JSON.stringify(about) });
    return this.#numbered(drafts, { id: this.#lastId + 1, atMs });
  }

  #draftsOf(name: string, namespace: string[], data: string): EventDraft[] {
    if (name === 'metadata') return this.#begin();
    if (name === 'tasks') return this.#tasks(namespace, data);
    // Events of tools stand under the namespace of their task, which need not be a graph.
    const reached = this.#reached(name === 'tools' ? namespace.slice(0, -1) : namespace);
    switch (name) {
      case 'values':
        return [...reached, ...this.#values(namespace, data)];
      case 'updates':
        return [...reached, ...this.#updates(namespace, data)];
      case 'checkpoint':
        return [...reached, { method: 'checkpoints', namespace, data }];
      case 'messages':
        return [...reached, ...(this.#wants('messages') ? this.#messages.add(data) : [])];
      case 'tools':
        return [...reached, ...this.#tools(namespace, data)];
      case 'custom':
        return [...reached, ...this.#custom(namespace, data)];
      case frameOfMadeEvent:
        return [...reached, ...this.#madeEvent(namespace, data)];
      default:
        return reached;
    }
  }

  /** The run begins, or begins again after the process that had it is gone. */
  #begin(): EventDraft[] {
    this.#asked.clear();
    this.#waits = false;
    const abandoned = this.#messages.endRun('The run was taken up again from its last checkpoint.');
    return [...abandoned, ...this.#subgraphs.endAll('interrupted'), ...this.#running()];
  }

  #running(): EventDraft[] {
    const data = JSON.stringify({ event: 'running', graph_name: this.#options.graphName });
    return [{ method: 'lifecycle', namespace: [], data }];
  }

  #reached(namespace: string[]): EventDraft[] {
    return this.#wants('lifecycle') && namespace.length > 0 ? this.#subgraphs.reach(namespace) : [];
  }

  #values(namespace: string[], text: string): EventDraft[] {
    const ended = this.#wants('messages') ? this.#messages.endStep(namespace) : [];
    if (!text.includes('"__interrupt__":'))
      return text === '{}' ? ended : [...ended, valuesDraft(namespace, text)];
    const state = JSON.parse(text) as Record<string, unknown>;
    const { __interrupt__: questions, ...values } = state;
    const asked = Object.hasOwn(state, '__interrupt__') ? this.#ask(namespace, questions) : [];
    const isEmpty = Object.keys(values).length === 0;
    return [...ended, ...asked, ...(isEmpty ? [] : [valuesDraft(namespace, JSON.stringify(values))])];
  }

  #updates(namespace: string[], text: string): EventDraft[] {
    if (text.startsWith('{"__interrupt__":')) {
      const { __interrupt__: questions } = JSON.parse(text) as Record<string, unknown>;
      return this.#ask(namespace, questions);
    }
    const node = firstKeyOf(text);
    if (node === undefined) return [];
    const drafts = this.#wants('messages') ? this.#messages.endNode(namespace, node, text) : [];
    if (this.#wants('updates')) drafts.push(...updatesDrafts(namespace, text));
    if (this.#wants('lifecycle')) drafts.push(...this.#subgraphs.endNode(namespace, node));
    return drafts;
  }

  #ask(namespace: string[], questions: unknown): EventDraft[] {
    if (namespace.length === 0) this.#waits = true;
    const fresh = (Array.isArray(questions) ? questions : []).filter(isRecord).filter(({ id }) => {
      if (typeof id !== 'string' || this.#asked.has(id)) return false;
      this.#asked.add(id);
      return true;
    });
    return fresh.map(({ id, value }) => ({
      method: 'input.requested',
      namespace,
      data: JSON.stringify({ interrupt_id: id, payload: value ?? null }),
    }));
  }

  #tasks(namespace: string[], text: string): EventDraft[] {
    const task: EventDraft = { method: 'tasks', namespace, data: text };
    if (!this.#wants('lifecycle')) return [task];
    const data: unknown = JSON.parse(text);
    this.#subgraphs.learn(namespace, data);
    return [...this.#reached(namespace), task, ...this.#subgraphs.endTask(namespace, data)];
  }

  #tools(namespace: string[], text: string): EventDraft[] {
    const data = this.#wants('tools') ? toolEvent(JSON.parse(text)) : null;
    return data ? [{ method: 'tools', namespace, data: JSON.stringify(data) }] : [];
  }

  #custom(namespace: string[], text: string): EventDraft[] {
    if (!this.#wants('custom')) return [];
    const data: unknown = JSON.parse(text);
    const isNamed = isRecord(data) && 'name' in data;
    const name = isNamed && typeof data.name === 'string' ? { name: data.name } : {};
    return [{ method: 'custom', namespace, data: isNamed ? text : `{"payload":${text}}`, ...name }];
  }

  /** An event that a transformer of the graph has made. A newer LangGraph may have more methods. */
  #madeEvent(namespace: string[], text: string): EventDraft[] {
    const { method, node, data } = JSON.parse(text) as MadeEvent;
    if (method === 'custom') return this.#custom(namespace, JSON.stringify(data));
    const known = eventMethods.find((each) => each === method);
    return known ? [{ method: known, namespace, node, data: JSON.stringify(data) }] : [];
  }

  #wants(method: EventMethod): boolean {
    return this.#options.methods.has(method);
  }

  /** The number within its method makes the id of an event independent of the other methods that a reader wants. */
  #numbered(drafts: EventDraft[], { id, atMs }: { id: number; atMs: number }): ProtocolEvent[] {
    const { runId, admission } = this.#options;
    const seq = seqOf(admission, id);
    const counts: Partial<Record<EventMethod, number>> = {};
    const events: ProtocolEvent[] = [];
    for (const { method, namespace, node, place, data, name } of drafts) {
      if (!this.#wants(method)) continue;
      const count = counts[method] ?? 0;
      counts[method] = count + 1;
      // Clients read from such an id which run it is that begins or ends.
      const isOfRun = method === 'lifecycle' && namespace.length === 0;
      const eventId = isOfRun ? `synth:${runId}:${seq}` : `${seq}:${method}:${count}`;
      events.push({ method, namespace, node, place, data, name, eventId, seq, atMs });
    }
    return events;
  }
}

function endOf(status: EndOfRun['status'], waits: boolean): EndOfGraph {
  if (status === 'success') return waits ? 'interrupted' : 'completed';
  return status === 'interrupted' ? 'interrupted' : 'failed';
}

function valuesDraft(namespace: string[], data: string): EventDraft {
  return { method: 'values', namespace, data };
}

function updatesDrafts(namespace: string[], text: string): EventDraft[] {
  return Object.entries(JSON.parse(text) as Record<string, unknown>).map(([node, values]) => ({
    method: 'updates',
    namespace,
    node,
    data: JSON.stringify({ node, values: isRecord(values) ? values : { value: values } }),
  }));
}

/** The name of the node that wrote, without reading all that it wrote. */
function firstKeyOf(text: string): string | undefined {
  const key = /^\{("(?:[^"\\]|\\.)*"):/.exec(text)?.[1];
  return key === undefined ? undefined : (JSON.parse(key) as string);
}

/** Returns what a frame of the mode `tools` says in the words of the second protocol; null when it says nothing to it. */
function toolEvent(frame: unknown): Record<string, unknown> | null {
  if (!isRecord(frame)) return null;
  const { event, toolCallId, name, input, data, output, error } = frame;
  const call = { tool_call_id: typeof toolCallId === 'string' ? toolCallId : '' };
  switch (event) {
    case 'on_tool_start':
      return { event: 'tool-started', ...call, tool_name: String(name ?? 'unknown'), input };
    case 'on_tool_event':
      return {
        event: 'tool-output-delta',
        ...call,
        delta: typeof data === 'string' ? data : JSON.stringify(data ?? ''),
      };
    case 'on_tool_end':
      return { event: 'tool-finished', ...call, output };
    case 'on_tool_error':
      return { event: 'tool-error', ...call, message: messageOf(error) };
    default:
      return null;
  }
}

function messageOf(error: unknown): string {
  if (isRecord(error) && typeof error.message === 'string') return error.message;
  return typeof error === 'string' ? error : JSON.stringify(error ?? 'The tool failed.');
}
