import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Faults, pause } from '../faults.ts';
import type { WorkerFiles } from '../files/worker-files.ts';
import type { NodeClass, NodeRun } from '../nodes/node-class.ts';
import type { NodeRegistry } from '../nodes/registry.ts';
import type { WorkerLimits } from '../options.ts';
import type { ClientSockets } from '../socket/client-sockets.ts';
import { executionOrder, isLink, isRecord, nodeOf, type PromptGraph, sourcesOf } from './graph.ts';
import type { HistoryEntry } from './history.ts';
import { type Interrupt, InterruptedRun } from './interrupt.ts';
import { type CachedNode, type OutputCache, signaturesOf } from './output-cache.ts';
import { type QueuedPrompt, toTuple } from './prompt-queue.ts';
import { PythonError } from './python.ts';
import { describeFailure } from './run-failure.ts';
import { RunReporter } from './run-reporter.ts';

export interface RunTools {
  registry: NodeRegistry;
  cache: OutputCache;
  sockets: ClientSockets;
  files: WorkerFiles;
  limits: WorkerLimits;
  interrupt: Interrupt;
  faults: Faults;
  paceMs: number;
  /** Aborts when the worker closes. */
  signal: AbortSignal;
}

/** One prompt, from `execution_start` to `execution_success`, `execution_error` or `execution_interrupted`. */
export class PromptRun {
  /** The node that a newly connected socket gets as the running one; undefined when no node runs. */
  currentNode: string | undefined;
  readonly clientId: string | undefined;
  readonly #prompt: QueuedPrompt;
  readonly #graph: PromptGraph;
  readonly #tools: RunTools;
  readonly #reporter: RunReporter;
  /** The values that later nodes still need. */
  readonly #results = new Map<string, CachedNode>();
  readonly #uses = new Map<string, number>();
  readonly #executed: string[] = [];
  readonly #shown = new Map<string, NonNullable<CachedNode['ui']>>();

  constructor(prompt: QueuedPrompt, tools: RunTools) {
    const { client_id } = prompt.extraData;
    this.clientId = typeof client_id === 'string' ? client_id : undefined;
    this.#prompt = prompt;
    this.#graph = prompt.graph;
    this.#tools = tools;
    this.#reporter = new RunReporter({ promptId: prompt.promptId, clientId: this.clientId }, tools.sockets);
  }

  async execute(): Promise<HistoryEntry> {
    this.#reporter.announce('execution_start', {});
    const { signatures, order } = await this.#plan();
    let id = '';
    try {
      for (id of order) await this.#runOrReuse(id, signatures.get(id) ?? '');
      this.#reporter.announce('execution_success', {});
      return this.#entry('success');
    } catch (error) {
      this.#announceFailure(id, error);
      return this.#entry('error');
    } finally {
      this.currentNode = undefined;
    }
  }

  async #plan(): Promise<{ signatures: Map<string, string>; order: string[] }> {
    const { outputs } = this.#prompt;
    const { cache, registry } = this.#tools;
    const signatures = await signaturesOf(this.#graph, { outputs, registry });
    cache.keepOnly(new Set(signatures.values()));
    for (const [id, signature] of signatures) {
      const known = cache.get(signature);
      if (known !== undefined) this.#results.set(id, known);
    }
    const cachedIds = [...this.#results.keys()];
    this.#reporter.announce('execution_cached', { nodes: cachedIds });
    const order = executionOrder(this.#graph, outputs, (id) => this.#results.has(id));
    this.#countUses(order);
    return { signatures, order };
  }

  async #runOrReuse(id: string, signature: string): Promise<void> {
    const known = this.#results.get(id) ?? this.#tools.cache.get(signature);
    if (known === undefined) {
      const result = await this.#runNode(id);
      this.#results.set(id, result);
      this.#tools.cache.set(signature, result);
      this.#executed.push(id);
    } else {
      this.#results.set(id, known);
      if (known.ui !== undefined) this.#shown.set(id, known.ui);
      this.#reporter.shown(id, known.ui ?? null);
      this.#reporter.finished(id);
    }
    this.#releaseSources(id);
  }

  async #runNode(id: string): Promise<CachedNode> {
    const { class_type } = nodeOf(this.#graph, id);
    const nodeClass = this.#tools.registry.require(class_type);
    this.currentNode = id;
    this.#reporter.starting(id);
    const inputs = this.#gatherInputs(id, nodeClass);
    await this.#breathe();
    await this.#sufferFaults(class_type);
    const startedAt = performance.now();
    const result = await nodeClass.execute(inputs, this.#nodeRun(id));
    await this.#pace(id, startedAt);
    const ui = this.#renamed(result.ui);
    if (ui !== undefined) {
      this.#shown.set(id, ui);
      this.#reporter.shown(id, ui);
    }
    this.#reporter.finished(id);
    return { values: result.values ?? [], ui };
  }

  #gatherInputs(id: string, { inputs: { required, optional } }: NodeClass): Record<string, unknown> {
    const given = nodeOf(this.#graph, id).inputs;
    const gathered: Record<string, unknown> = {};
    for (const [name, input] of Object.entries({ ...required, ...optional })) {
      const value = given[name];
      if (value === undefined) continue;
      gathered[name] = isLink(value) ? this.#results.get(value[0])?.values[value[1]] : value;
      if ((input.type === 'IMAGE' || input.type === 'MASK') && !isRecord(gathered[name]))
        throw new PythonError('TypeError', `${name} must be linked to a node that gives ${input.type}.`);
    }
    return gathered;
  }

  #nodeRun(id: string): NodeRun {
    const { files, limits } = this.#tools;
    const { extra_pnginfo } = this.#prompt.extraData;
    return {
      nodeId: id,
      prompt: this.#graph,
      extraPngInfo: isRecord(extra_pnginfo) ? extra_pnginfo : {},
      files,
      limits,
      breathe: () => this.#breathe(),
      sendText: (text) => this.#reporter.text(id, text),
      tick: async (value, max, preview) => {
        this.#tools.interrupt.throwIfRequested();
        this.#reporter.ticked(id, value, max);
        if (typeof preview === 'function') await this.#reporter.previewIfDue(id, preview);
        else if (preview !== undefined) this.#reporter.preview(id, preview);
        await this.#breathe();
      },
    };
  }

  /** Lets sockets and requests be served, then throws if the prompt was interrupted. */
  async #breathe(): Promise<void> {
    await nextTurn();
    this.#tools.interrupt.throwIfRequested();
  }

  async #pace(id: string, startedAt: number): Promise<void> {
    const steps = 10;
    const restMs = this.#tools.paceMs - (performance.now() - startedAt);
    for (let step = 1; restMs > 0 && step <= steps; step += 1) {
      await pause(restMs / steps, this.#tools.interrupt.signal);
      this.#tools.interrupt.throwIfRequested();
      this.#reporter.ticked(id, step, steps);
    }
  }

  async #sufferFaults(classType: string): Promise<void> {
    const { faults, interrupt, signal } = this.#tools;
    if (faults.switches.zombie === 'mid_run')
      await faults.waitWhile(({ zombie }) => zombie === 'mid_run', signal);
    await faults.waitWhile(({ holdNodes }) => holdNodes, AbortSignal.any([interrupt.signal, signal]));
    interrupt.throwIfRequested();
    const nodeError = faults.takeNodeError(classType);
    if (nodeError !== null) throw new PythonError(nodeError.type, nodeError.message);
  }

  #renamed(ui: CachedNode['ui']): CachedNode['ui'] {
    const { outputNames } = this.#tools.faults.switches;
    if (outputNames === null || ui === undefined) return ui;
    const rename = (item: unknown) =>
      isRecord(item) && 'filename' in item ? { ...item, ...outputNames } : item;
    return Object.fromEntries(Object.entries(ui).map(([kind, items]) => [kind, items.map(rename)]));
  }

  #announceFailure(id: string, error: unknown): void {
    const node = nodeOf(this.#graph, id);
    const place = { node_id: id, node_type: node.class_type, executed: this.#executed };
    if (error instanceof InterruptedRun) this.#reporter.announce('execution_interrupted', place);
    else
      this.#reporter.announce('execution_error', {
        ...place,
        ...describeFailure(error, node),
        current_outputs: [...this.#results.keys()],
      });
  }

  #entry(status: 'success' | 'error'): HistoryEntry {
    const meta = [...this.#shown.keys()].map((id) => [
      id,
      { node_id: id, display_node: id, parent_node: null, real_node_id: id },
    ]);
    return {
      prompt: toTuple(this.#prompt),
      outputs: Object.fromEntries(this.#shown),
      status: { status_str: status, completed: status === 'success', messages: this.#reporter.messages },
      meta: Object.fromEntries(meta),
    };
  }

  #countUses(order: readonly string[]): void {
    for (const source of order.flatMap((id) => sourcesOf(nodeOf(this.#graph, id))))
      this.#uses.set(source, (this.#uses.get(source) ?? 0) + 1);
  }

  /** Frees values that no later node needs: a long chain holds two pictures, not all of them. */
  #releaseSources(id: string): void {
    for (const source of sourcesOf(nodeOf(this.#graph, id))) {
      const left = (this.#uses.get(source) ?? 0) - 1;
      this.#uses.set(source, left);
      if (left <= 0) this.#results.delete(source);
    }
  }
}
