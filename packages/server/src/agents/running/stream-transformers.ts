import {
  convertToProtocolEvent,
  isNativeTransformer,
  type ProtocolEvent,
  StreamChannel,
  type StreamTransformer,
} from '@langchain/langgraph';
import { isRecord } from '@switchyard/contract/is-record';
import { deadline } from '../../lib/async/deadline.ts';
import { JsonText } from '../../lib/json-text.ts';
import type { EventMethod } from '../run-events/protocol-event.ts';
import { type EndOfRun, type MadeEvent, RunEvents } from '../run-events/run-events.ts';
import { type GraphChunk, GraphFrames } from './stream-modes.ts';

/** Makes one transformer; a graph has them by `compile({ transformers })`. */
export type TransformerFactory = () => StreamTransformer;

export interface SentEvent extends MadeEvent {
  namespace: readonly string[];
}

/** A transformer in one run. */
interface Working {
  transformer: StreamTransformer;
  /** Channels for remote readers, each with the number of values that they have been sent. */
  channels: { name: string; channel: StreamChannel<unknown>; sent: number }[];
  finals: { name: string; value: Promise<unknown> }[];
}

/** These are made of the frames that readers get. LangGraph makes the other kinds of a piece of its stream. */
const madeOfFrames: ReadonlySet<EventMethod> = new Set(['messages', 'lifecycle', 'input.requested']);
const modesOfFrames = ['values', 'updates', 'messages-tuple', 'tasks'];
const usualPatienceMs = 10_000;

/**
 * Shows a graph's own transformers the events of a run, and sends on what their remote channels and their final values say.
 * Transformers that LangGraph marks as its own have values for callers in the same process alone, so they are left out.
 */
export class StreamTransformers {
  readonly #options;
  readonly #events: RunEvents;
  readonly #frames: GraphFrames;
  #working: Working[] = [];
  #frameId = 0;
  #seq = 0;

  constructor(options: {
    factories: readonly TransformerFactory[];
    runId: string;
    graphName: string;
    /** Takes what a transformer gives to readers. */
    send: (event: SentEvent) => void;
    /** A transformer has thrown, or gives no value. The run goes on. */
    onFault: (error: unknown) => void;
    /** The end of the run waits this long for final values. */
    patienceMs?: number;
  }) {
    this.#options = options;
    const { runId, graphName } = options;
    this.#events = new RunEvents({ runId, graphName, admission: 0, methods: madeOfFrames });
    this.#frames = new GraphFrames({
      modes: modesOfFrames,
      subgraphs: true,
      namesCheckpoints: false,
      frame: (event, data) => this.#addFrame(event, JsonText.of(data)),
    });
    for (const factory of options.factories) this.#guard(() => this.#begin(factory));
    this.#addFrame('metadata', '{}');
  }

  add(chunk: GraphChunk): void {
    // Agents of LangChain have only transformers that are left out.
    if (this.#working.length === 0) return;
    this.#frames.add(chunk);
    const [namespace, mode, payload] = chunk;
    if (mode === 'messages') return;
    for (const event of convertToProtocolEvent({ namespace, mode, payload, seq: 0 } as Conversion))
      this.#show(event);
  }

  /** The run has ended well, or waits for a human. Returns when the final values have been sent. */
  async end(signal: AbortSignal): Promise<void> {
    this.#frames.end();
    this.#showEnd({ status: 'success', error: null, atMs: Date.now() });
    const limit = deadline(this.#options.patienceMs ?? usualPatienceMs, signal);
    const finished = this.#working.map((working) =>
      this.#finish({ working, signal: limit.signal }).catch((error: unknown) => {
        if (!signal.aborted) this.#options.onFault(error);
      }),
    );
    await Promise.all(finished);
    limit.release();
  }

  fail(error: unknown): void {
    this.#showEnd({ status: 'error', error: String(error), atMs: Date.now() });
    for (const { transformer, channels } of this.#working) {
      this.#guard(() => transformer.fail?.(error));
      for (const { channel } of channels) channel.fail(error);
    }
  }

  #begin(factory: TransformerFactory): void {
    const transformer = factory();
    if (isNativeTransformer(transformer)) return;
    transformer.onRegister?.({ push: (namespace, event) => this.#push(namespace, event) });
    const projection = transformer.init();
    const working: Working = { transformer, channels: [], finals: [] };
    for (const [name, value] of isRecord(projection) ? Object.entries(projection) : []) {
      if (StreamChannel.isInstance(value)) {
        const { channelName } = value;
        if (channelName !== undefined) working.channels.push({ name: channelName, channel: value, sent: 0 });
      } else if (isPromise(value)) {
        const settled = Promise.resolve(value);
        settled.catch(() => undefined); // `#finish` meets it again, unless the run fails
        working.finals.push({ name, value: settled });
      }
    }
    this.#working.push(working);
  }

  /** An event that a transformer makes is one for all of them, and for readers. */
  #push(namespace: readonly string[], event: ProtocolEvent): void {
    const { method, params } = event;
    this.#show({ ...event, params: { ...params, namespace: [...namespace] } });
    this.#options.send({ namespace, method, node: params.node, data: params.data });
  }

  #addFrame(event: string, data: string): void {
    this.#frameId += 1;
    const made = this.#events.add({ id: this.#frameId, event, atMs: Date.now() }, data);
    for (const each of made) this.#showMade(each);
  }

  #showEnd(end: EndOfRun): void {
    for (const event of this.#events.end(end)) this.#showMade(event);
  }

  #showMade({ method, namespace, node, atMs, data }: ReturnType<RunEvents['add']>[number]): void {
    const params = {
      namespace: [...namespace],
      timestamp: atMs,
      ...(node !== undefined && { node }),
      data: JSON.parse(data) as unknown,
    };
    this.#show({ type: 'event', seq: 0, method, params });
  }

  #show(event: ProtocolEvent): void {
    this.#seq += 1;
    const numbered = { ...event, seq: this.#seq };
    for (const working of this.#working) {
      const wentWell = this.#guard(() => {
        working.transformer.process(numbered);
        this.#sendNew(working, event.params.namespace);
      });
      // One that has failed has seen only a part, so what it would say of the rest is wrong.
      if (!wentWell) this.#drop(working);
    }
  }

  #drop(working: Working): void {
    this.#working = this.#working.filter((each) => each !== working);
  }

  #sendNew({ channels }: Working, namespace: readonly string[]): void {
    for (const each of channels)
      for (; each.sent < each.channel.size; each.sent += 1)
        this.#send(namespace, each.name, each.channel.get(each.sent));
  }

  async #finish({ working, signal }: { working: Working; signal: AbortSignal }): Promise<void> {
    const { transformer, channels, finals } = working;
    await until(transformer.finalize?.(), signal);
    for (const { channel } of channels) channel.close();
    this.#sendNew(working, []);
    for (const { name, value } of finals) this.#send([], name, await until(value, signal));
  }

  #send(namespace: readonly string[], name: string, payload: unknown): void {
    this.#options.send({ namespace, method: 'custom', data: { name, payload } });
  }

  /** Returns whether it went well. */
  #guard(act: () => void): boolean {
    try {
      act();
      return true;
    } catch (error) {
      this.#options.onFault(error);
      return false;
    }
  }
}

type Conversion = Parameters<typeof convertToProtocolEvent>[0];

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** Waits until the signal aborts at the longest. */
function until<Value>(value: Value | PromiseLike<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    Promise.resolve(value).then(resolve, reject);
  });
}
