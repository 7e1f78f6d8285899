import type { FakeBehaviour, FakeStats } from './fake-behaviour.ts';
import { lifelikeFrames } from './lifelike-frames.ts';

export type FakeGraph = Record<string, { class_type: string; inputs: Record<string, unknown> }>;

export interface FakeRun {
  number: number;
  promptId: string;
  clientId: string | null;
  graph: FakeGraph;
}

interface FakeQueueOptions {
  behaviour: () => FakeBehaviour;
  /** The error of a run of this graph; null when it succeeds. */
  failureOf: (graph: FakeGraph) => object | null;
  /** The client that receives the message; null sends it to all. */
  say: (clientId: string | null, type: string, data: unknown) => void;
  show: (clientId: string | null, png: Uint8Array) => void;
}

const maxHistory = 1_000;
const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** The queue, the one run at a time and the history of a fake worker, with the messages in ComfyUI's order. */
export class FakeQueue {
  readonly #behaviour: () => FakeBehaviour;
  readonly #failureOf: FakeQueueOptions['failureOf'];
  readonly #say: FakeQueueOptions['say'];
  readonly #show: FakeQueueOptions['show'];
  readonly #waiting: FakeRun[] = [];
  readonly #history = new Map<string, unknown>();
  readonly #seenIds = new Set<string>();
  #running: FakeRun | null = null;
  #cancelTimer: (() => void) | null = null;
  #accepted = 0;
  #asked = 0;
  #finished = 0;
  #duplicateIds = 0;
  #maxHeld = 0;

  constructor({ behaviour, failureOf, say, show }: FakeQueueOptions) {
    this.#behaviour = behaviour;
    this.#failureOf = failureOf;
    this.#say = say;
    this.#show = show;
  }

  get stats(): Omit<FakeStats, 'port' | 'arrivals' | 'objectInfoAsked' | 'prompts' | 'uploads'> {
    return {
      accepted: this.#accepted,
      asked: this.#asked,
      finished: this.#finished,
      duplicateIds: this.#duplicateIds,
      maxHeld: this.#maxHeld,
    };
  }

  get status(): { exec_info: { queue_remaining: number } } {
    return { exec_info: { queue_remaining: this.#waiting.length + (this.#running ? 1 : 0) } };
  }

  list(): unknown {
    this.#asked++;
    const item = ({ number, promptId }: FakeRun) => [number, promptId, {}, {}, []];
    return {
      queue_running: this.#running ? [item(this.#running)] : [],
      queue_pending: this.#waiting.map(item),
    };
  }

  historyOf(promptId: string): Record<string, unknown> {
    const entry = this.#history.get(promptId);
    return entry === undefined ? {} : { [promptId]: entry };
  }

  put(run: FakeRun): void {
    this.#accepted++;
    if (this.#seenIds.has(run.promptId)) this.#duplicateIds++;
    this.#seenIds.add(run.promptId);
    this.#waiting.push(run);
    this.#maxHeld = Math.max(this.#maxHeld, this.status.exec_info.queue_remaining);
    this.#sayStatus();
    this.#startNext();
  }

  deleteWaiting(promptId: string): void {
    const index = this.#waiting.findIndex((run) => run.promptId === promptId);
    if (index < 0) return;
    this.#waiting.splice(index, 1);
    this.#sayStatus();
  }

  /** Null interrupts the running prompt, as ComfyUI does without an id. */
  interrupt(promptId: string | null): void {
    const { trouble } = this.#behaviour();
    if (trouble === 'stubborn' || trouble === 'zombie') return;
    if (this.#running && (promptId ?? this.#running.promptId) === this.#running.promptId) {
      this.#finish(this.#running, 'interrupted');
    }
  }

  finishRun(): void {
    if (this.#running) this.#finish(this.#running, 'success');
  }

  clear(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#running = null;
    this.#waiting.length = 0;
    this.#history.clear();
  }

  #startNext(): void {
    const { trouble, runMs, isLifelike } = this.#behaviour();
    const next = this.#running ? undefined : this.#waiting.shift();
    if (!next) return;
    this.#running = next;
    if (trouble === 'zombie') return;
    const { promptId, clientId } = next;
    this.#say(clientId, 'execution_start', { prompt_id: promptId });
    this.#say(clientId, 'execution_cached', { prompt_id: promptId, nodes: [] });
    if (isLifelike) this.#sayLife(next);
    else this.#sayNodes(next);
    const finish = () => this.#finish(next, 'success');
    if (runMs > 0) {
      const timeout = setTimeout(finish, runMs);
      this.#cancelTimer = () => clearTimeout(timeout);
    } else {
      const immediate = setImmediate(finish);
      this.#cancelTimer = () => clearImmediate(immediate);
    }
  }

  #sayNodes({ promptId, clientId, graph }: FakeRun): void {
    for (const node of Object.keys(graph)) {
      this.#say(clientId, 'executing', { prompt_id: promptId, node, display_node: node });
      if (graph[node]?.class_type === 'SaveImageWebsocket') this.#show(clientId, onePixel);
    }
  }

  #sayLife({ promptId, clientId, graph }: FakeRun): void {
    for (const frame of lifelikeFrames(promptId, Object.keys(graph))) {
      if (frame.type === 'preview') this.#show(clientId, frame.picture);
      else this.#say(clientId, frame.type, frame.data);
    }
  }

  #finish(run: FakeRun, wanted: 'success' | 'interrupted'): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    const { promptId, clientId, graph } = run;
    const failure = wanted === 'success' ? this.#failureOf(graph) : null;
    const end = failure ? 'error' : wanted;
    const data = { prompt_id: promptId, timestamp: Date.now(), ...failure };
    const outputs = end === 'success' ? this.#outputsOf(run) : {};
    for (const [node, output] of Object.entries(outputs)) {
      this.#say(clientId, 'executed', { prompt_id: promptId, node, display_node: node, output });
    }
    this.#say(clientId, `execution_${end}`, data);
    this.#keep(run, { end, data, outputs });
    this.#finished++;
    this.#running = null;
    this.#sayStatus();
    this.#say(clientId, 'executing', { prompt_id: promptId, node: null });
    this.#startNext();
  }

  #outputsOf({ promptId, graph }: FakeRun): Record<string, unknown> {
    const { outputBytes, outputName } = this.#behaviour();
    if (outputBytes === 0) return {};
    const image = { filename: outputName ?? `fake_${promptId}.png`, subfolder: '', type: 'output' };
    return { [Object.keys(graph).at(-1) ?? '0']: { images: [image] } };
  }

  #keep(
    { number, promptId }: FakeRun,
    { end, data, outputs }: { end: 'success' | 'interrupted' | 'error'; data: object; outputs: object },
  ): void {
    this.#history.set(promptId, {
      prompt: [number, promptId, {}, {}, []],
      outputs,
      status: {
        status_str: end === 'success' ? 'success' : 'error',
        completed: end === 'success',
        messages: [
          ['execution_start', { prompt_id: promptId }],
          ['execution_cached', { prompt_id: promptId, nodes: [] }],
          [`execution_${end}`, data],
        ],
      },
    });
    if (this.#behaviour().forgetsRuns) this.#history.delete(promptId);
    if (this.#history.size > maxHistory) this.#history.delete(this.#history.keys().next().value ?? '');
  }

  #sayStatus(): void {
    this.#say(null, 'status', { status: this.status });
  }
}
