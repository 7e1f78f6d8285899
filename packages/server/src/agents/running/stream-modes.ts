import { isRecord } from '@switchyard/contract/is-record';
import type { Json } from '../../lib/json.ts';
import { JsonText } from '../../lib/json-text.ts';
import type { StateView } from '../run-contract/agent-run.ts';
import { checkpointRef, stateValues, wireMetadata, wireTask } from '../state/wire-state.ts';
import { wireValue, wireValues } from '../state/wire-values.ts';
import { MessageFrames } from './message-frames.ts';
import { namespaceOf, type TaskMetadata } from './task-origins.ts';
import { toldEvent } from './told-event.ts';

/** A piece of LangGraph's stream: the namespace of its graph (empty for the run's own), the mode, the payload. */
export type GraphChunk = [namespace: string[], mode: string, payload: unknown];

/** Returns the modes that LangGraph is asked for. They always include `values`, which the run's final state comes from. */
export function graphModes(asked: readonly string[]): string[] {
  const modes = asked.flatMap((mode) => graphModesOf[mode] ?? []);
  return [...new Set(['values', ...modes])];
}

const graphModesOf: Record<string, string[]> = {
  updates: ['updates'],
  'messages-tuple': ['messages'],
  messages: ['messages'],
  custom: ['custom'],
  debug: ['debug'],
  tasks: ['tasks'],
  checkpoints: ['checkpoints'],
  tools: ['tools'],
};

/** Modes in which the graphs inside a run stream through it, also when the client does not ask for these graphs themselves. */
const throughRun: ReadonlySet<string> = new Set(['messages', 'custom', 'tools']);

/** Turns what a graph streams into the frames that the client asked for, and keeps the newest values. */
export class GraphFrames {
  readonly #asked: ReadonlySet<string>;
  readonly #subgraphs: boolean;
  readonly #namesCheckpoints: boolean;
  readonly #frame: (event: string, data: unknown) => void;
  readonly #messages: MessageFrames | null;
  /** Each piece of a message comes with the same metadata, which is longer than the piece. */
  readonly #encodedMetadata = new WeakMap<object, { json: Json; text: string }>();
  #interrupts: unknown[] | null = null;
  #isOfOlderGraph = false;
  #values: unknown;
  /** The newest values in wire form, once they have been sent. */
  #sentValues: Record<string, Json> | undefined;

  constructor({
    modes,
    subgraphs,
    namesCheckpoints,
    frame,
  }: {
    /** The modes under the names that the client gave. */
    modes: readonly string[];
    subgraphs: boolean;
    /** Sends the checkpoint of each state before it. */
    namesCheckpoints: boolean;
    frame: (event: string, data: unknown) => void;
  }) {
    this.#asked = new Set(modes);
    this.#subgraphs = subgraphs;
    this.#namesCheckpoints = namesCheckpoints;
    this.#frame = frame;
    this.#messages = this.#asked.has('messages') ? new MessageFrames(frame) : null;
  }

  /** The newest values of the run's own graph in wire form; undefined before the first ones. */
  get values(): Record<string, Json> | undefined {
    if (this.#values === undefined) return undefined;
    return this.#sentValues ?? stateValues(this.#values);
  }

  /** True when the graph has stopped for a human. */
  get isInterrupted(): boolean {
    return this.#interrupts !== null;
  }

  /** True for a graph of LangGraph before 1.4, which may not stream everything. */
  get isOfOlderGraph(): boolean {
    return this.#isOfOlderGraph;
  }

  /** LangGraph streams every graph inside the run, because without that it would leave out their messages. */
  add(chunk: GraphChunk): void {
    const [, mode, payload] = chunk;
    const namespace = this.#graphOf(chunk);
    if (namespace.length > 0 && !this.#subgraphs && !throughRun.has(mode)) return;
    if (mode === 'values') this.#addValues(namespace, payload);
    else if (mode === 'messages') this.#addMessage(namespace, payload as [object, object]);
    else if (mode === 'checkpoints' && isCheckpointName(payload)) this.#nameCheckpoint(namespace, payload);
    else if (this.#asked.has(mode)) this.#send(mode, namespace, payloadOf(mode, payload));
  }

  /** Sends one of LangChain's own events. */
  event(event: object): void {
    if (this.#asked.has('events')) this.#frame('events', wireValue(toldEvent(event)));
  }

  /**
   * Sends the values with the open questions once more at the end. Otherwise a client that shows the newest values would lose a
   * question when another task ended after it. `stopped` is the state of a graph that has not said which questions are open.
   */
  end(stopped?: Pick<StateView, 'next' | 'interrupts'>): void {
    const saved = stopped && stopped.next.length > 0 ? Object.values(stopped.interrupts).flat() : null;
    const interrupts = this.#interrupts ?? saved;
    if (interrupts && this.#asked.has('values')) {
      this.#frame('values', { __interrupt__: wireValue(interrupts) });
    }
  }

  /** LangGraph before 1.4 names the run's own graph `[""]`, and gives messages the namespace of their task. */
  #graphOf([namespace, mode, payload]: GraphChunk): string[] {
    const name = namespace.join('|');
    if (name === '') {
      this.#isOfOlderGraph ||= namespace.length > 0;
      return [];
    }
    if (mode !== 'messages') return namespace;
    const [, metadata] = payload as [object, TaskMetadata];
    return name === namespaceOf(metadata) ? namespace.slice(0, -1) : namespace;
  }

  #addValues(namespace: string[], payload: unknown): void {
    const isRoot = namespace.length === 0;
    const interrupts = interruptsIn(payload);
    if (isRoot && interrupts) {
      this.#interrupts = [...(this.#interrupts ?? []), ...interrupts];
      return;
    }
    if (isRoot) this.#values = payload;
    if (this.#asked.has('values')) {
      const values = isRecord(payload) ? wireValues(payload) : undefined;
      if (isRoot) this.#sentValues = values;
      this.#send('values', namespace, values ?? wireValue(payload));
    }
    // A message is complete in the state that was just sent.
    if (isRoot) this.#messages?.complete(payload);
  }

  #nameCheckpoint(namespace: string[], name: object): void {
    if (this.#namesCheckpoints) this.#send('checkpoint', namespace, wireValue(name));
  }

  #addMessage(namespace: string[], [message, metadata]: [object, object]): void {
    const { json, text } = this.#encodedMetadata.get(metadata) ?? this.#encode(metadata);
    this.#messages?.piece(message, json);
    if (!this.#asked.has('messages-tuple')) return;
    this.#send('messages', namespace, new JsonText(`[${JSON.stringify(wireValue(message))},${text}]`));
  }

  #encode(metadata: object): { json: Json; text: string } {
    const json = wireMetadata(metadata);
    const encoded = { json, text: JSON.stringify(json) };
    this.#encodedMetadata.set(metadata, encoded);
    return encoded;
  }

  #send(mode: string, namespace: string[], data: unknown): void {
    this.#frame(this.#subgraphs && namespace.length > 0 ? `${mode}|${namespace.join('|')}` : mode, data);
  }
}

function interruptsIn(values: unknown): unknown[] | null {
  if (typeof values !== 'object' || values === null || !('__interrupt__' in values)) return null;
  return Array.isArray(values.__interrupt__) ? values.__interrupt__ : null;
}

/** LangGraph sends it before each state: only what names the checkpoint, and not what is in it. */
function isCheckpointName(payload: unknown): payload is object {
  return isRecord(payload) && typeof payload.id === 'string' && !('values' in payload);
}

function payloadOf(mode: string, payload: unknown): Json {
  if (mode === 'checkpoints') return checkpointPayload(payload);
  if (mode !== 'debug' || !isRecord(payload) || payload.type !== 'checkpoint') return wireValue(payload);
  return {
    ...(wireValue({ ...payload, payload: null }) as object),
    payload: checkpointPayload(payload.payload),
  };
}

/** Keeps from the config only the name of the checkpoint, because the rest belongs to the runtime. */
function checkpointPayload(payload: unknown): Json {
  if (!isRecord(payload)) return wireValue(payload);
  const { config, parentConfig, values, metadata, next, tasks } = payload;
  const checkpoint = checkpointRef(config);
  const parent = checkpointRef(parentConfig);
  return wireValue({
    values: isRecord(values) ? wireValues(values) : values,
    next,
    metadata: isRecord(metadata) ? wireMetadata(metadata) : {},
    tasks: Array.isArray(tasks) ? tasks.map(wireTask) : [],
    checkpoint,
    parent_checkpoint: parent,
    config: checkpoint && { configurable: checkpoint },
    parent_config: parent && { configurable: parent },
  });
}
