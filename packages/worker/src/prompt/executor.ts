import { pause } from '../faults.ts';
import type { CollectedOutputs } from './collected-outputs.ts';
import { nodeOf } from './graph.ts';
import type { History, HistoryEntry } from './history.ts';
import type { PromptQueue, QueuedPrompt } from './prompt-queue.ts';
import { toTuple } from './prompt-queue.ts';
import { PromptRun, type RunTools } from './prompt-run.ts';
import { describeFailure } from './run-failure.ts';

/** The one loop that runs prompts, one at a time. */
export class Executor {
  readonly #tools;
  readonly #closing = new AbortController();
  #run: PromptRun | undefined;
  #loop: Promise<void> | undefined;
  #isFreeRequested = false;

  constructor(
    tools: Omit<RunTools, 'signal'> & {
      queue: PromptQueue;
      history: History;
      collected: Pick<CollectedOutputs, 'sweep'>;
      log: (line: string) => void;
    },
  ) {
    this.#tools = tools;
  }

  start(): void {
    this.#loop = this.#runPrompts();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#tools.interrupt.request();
    await this.#loop;
  }

  /** The node that runs for this client, for a socket that connects in the middle of a prompt. */
  currentNodeOf(clientId: string): string | undefined {
    return this.#run?.clientId === clientId ? this.#run.currentNode : undefined;
  }

  /** As in ComfyUI, memory is freed between prompts, never during one. */
  freeMemory(): void {
    this.#isFreeRequested = true;
    if (this.#run === undefined) this.#freeIfRequested();
  }

  async #runPrompts(): Promise<void> {
    const { queue, faults } = this.#tools;
    const { signal } = this.#closing;
    for (;;) {
      const prompt = await queue.take(signal);
      if (prompt === undefined) return;
      await faults.waitWhile(({ zombie }) => zombie === 'before_start', signal);
      if (signal.aborted) return;
      // A failure of one prompt must not stop the next.
      await this.#runOne(prompt).catch((error: unknown) => {
        this.#tools.log(`Prompt ${prompt.promptId} was lost inside the worker: ${String(error)}`);
        queue.finish();
      });
      this.#run = undefined;
      this.#freeIfRequested();
      await this.#tools.collected.sweep();
    }
  }

  /** Clients rely on this order: success, history entry, status, and only then `executing` without a node. */
  async #runOne(prompt: QueuedPrompt): Promise<void> {
    const { queue, history, sockets, interrupt, faults } = this.#tools;
    interrupt.clear();
    this.#run = new PromptRun(prompt, { ...this.#tools, signal: this.#closing.signal });
    const { clientId } = this.#run;
    const entry = await this.#run.execute().catch((error: unknown) => this.#brokenEntry(prompt, error));
    await pause(faults.switches.historyDelayMs, this.#closing.signal);
    this.#run = undefined;
    history.add(prompt.promptId, entry);
    queue.finish();
    if (clientId !== undefined)
      sockets.send('executing', { node: null, prompt_id: prompt.promptId }, clientId);
  }

  /** A fault of the worker itself still ends the prompt, so that no client waits for ever. */
  #brokenEntry(prompt: QueuedPrompt, error: unknown): HistoryEntry {
    this.#tools.log(`Prompt ${prompt.promptId} failed inside the worker: ${String(error)}`);
    const id = prompt.outputs[0] ?? '';
    const node = nodeOf(prompt.graph, id);
    const message = {
      prompt_id: prompt.promptId,
      node_id: id,
      node_type: node.class_type,
      executed: [],
      ...describeFailure(error, node),
      current_outputs: [],
      timestamp: Date.now(),
    };
    return {
      prompt: toTuple(prompt),
      outputs: {},
      status: { status_str: 'error', completed: false, messages: [['execution_error', message]] },
      meta: {},
    };
  }

  #freeIfRequested(): void {
    if (this.#isFreeRequested) this.#tools.cache.clear();
    this.#isFreeRequested = false;
  }
}
