import type { PromptGraph } from './graph.ts';
import { heapify, heapPop, heapPush } from './heap.ts';

export interface QueuedPrompt {
  /** The lowest number runs first. */
  number: number;
  /** Chosen by the caller and not unique: the same id twice runs twice. */
  promptId: string;
  graph: PromptGraph;
  extraData: Record<string, unknown>;
  outputs: readonly string[];
}

/** The form of a prompt in the queue and in history. */
export type PromptTuple = [number, string, PromptGraph, Record<string, unknown>, readonly string[]];

class QueueOrderError extends Error {}

/** The waiting prompts and the running one. They are only in memory, so a restart loses them. */
export class PromptQueue {
  readonly #pending: QueuedPrompt[] = [];
  readonly #onChange: () => void;
  #running: QueuedPrompt | undefined;
  #wake: (() => void) | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get remaining(): number {
    return this.#pending.length + (this.#running === undefined ? 0 : 1);
  }

  get pendingCount(): number {
    return this.#pending.length;
  }

  isRunning(promptId: string): boolean {
    return this.#running?.promptId === promptId;
  }

  /** `pending` is in raw heap order: readers sort it by number. */
  snapshot(): { queue_running: PromptTuple[]; queue_pending: PromptTuple[] } {
    return {
      queue_running: this.#running === undefined ? [] : [toTuple(this.#running)],
      queue_pending: this.#pending.map(toTuple),
    };
  }

  put(prompt: QueuedPrompt): void {
    heapPush(this.#pending, prompt, runsBefore);
    this.#onChange();
    this.#wake?.();
  }

  /** Waits for a prompt and makes it the running one; undefined when the signal ends the wait. */
  async take(signal: AbortSignal): Promise<QueuedPrompt | undefined> {
    while (this.#pending.length === 0 && !signal.aborted) await this.#change(signal);
    if (signal.aborted) return undefined;
    this.#running = heapPop(this.#pending, runsBefore);
    this.#onChange();
    return this.#running;
  }

  finish(): void {
    this.#running = undefined;
    this.#onChange();
  }

  /** Deletes only pending prompts; they do not appear in history. */
  delete(promptId: string): void {
    const index = this.#pending.findIndex((prompt) => prompt.promptId === promptId);
    if (index < 0) return;
    this.#pending.splice(index, 1);
    heapify(this.#pending, runsBefore);
    this.#onChange();
  }

  clear(): void {
    this.#pending.length = 0;
    this.#onChange();
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        signal.removeEventListener('abort', done);
        this.#wake = undefined;
        resolve();
      };
      signal.addEventListener('abort', done);
      this.#wake = done;
    });
  }
}

export function toTuple({ number, promptId, graph, extraData, outputs }: QueuedPrompt): PromptTuple {
  return [number, promptId, graph, extraData, outputs];
}

function runsBefore(left: QueuedPrompt, right: QueuedPrompt): boolean {
  if (left.number !== right.number) return left.number < right.number;
  if (left.promptId !== right.promptId) return left.promptId < right.promptId;
  throw new QueueOrderError("'<' not supported between instances of 'dict' and 'dict'");
}
