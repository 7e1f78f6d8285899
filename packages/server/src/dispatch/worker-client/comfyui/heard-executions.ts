import type { ExecutionEnd, ExecutionError, ExecutionResult } from '../worker-client.ts';
import { OutputCollector } from './output-collector.ts';

/** The limit for one execution; beyond it, the events that came count as incomplete. */
const maxOutputBytes = 32 * 1024 * 1024;

interface HeardExecution {
  outputs: OutputCollector;
  outputBytes: number;
  cachedNodes: string[];
  end: { end: ExecutionEnd; error: ExecutionError | null } | null;
}

/** Keeps what the event socket reported about the gateway's executions: the result of one whose history entry is gone. */
export class HeardExecutions {
  readonly #runs = new Map<string, HeardExecution>();

  begin(promptId: string): void {
    this.#runs.set(promptId, {
      outputs: new OutputCollector(),
      outputBytes: 0,
      cachedNodes: [],
      end: null,
    });
  }

  addCached(promptId: string, nodeIds: readonly string[]): void {
    this.#runs.get(promptId)?.cachedNodes.push(...nodeIds);
  }

  addOutput(
    promptId: string,
    { nodeId, output, bytes }: { nodeId: string; output: unknown; bytes: number },
  ): void {
    const run = this.#runs.get(promptId);
    if (!run) return;
    run.outputBytes += bytes;
    if (run.outputBytes > maxOutputBytes) this.#runs.delete(promptId);
    else run.outputs.add(nodeId, output);
  }

  end(promptId: string, end: ExecutionEnd, error: ExecutionError | null): void {
    const run = this.#runs.get(promptId);
    if (run) run.end = { end, error };
  }

  /** The socket is lost: what running executions report until the next connection is missed. */
  noteGap(): void {
    for (const [promptId, { end }] of this.#runs) if (!end) this.#runs.delete(promptId);
  }

  /** Returns null when its events did not come from its start to its end. */
  resultOf(promptId: string): ExecutionResult | null {
    const run = this.#runs.get(promptId);
    if (!run?.end) return null;
    const { files, texts, rejected } = run.outputs;
    return { ...run.end, files, texts, rejected, cachedNodes: run.cachedNodes };
  }

  forget(promptId: string): void {
    this.#runs.delete(promptId);
  }

  clear(): void {
    this.#runs.clear();
  }
}
